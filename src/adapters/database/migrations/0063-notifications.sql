-- Notifications that no agent sends: of builds that begin to wait for approval, and of builds that end without their agent. Every
-- statement that does either records it here in its own transaction. The operator sends them in a Pod, which is a check run with another
-- cause.
ALTER TABLE check_runs DROP CONSTRAINT check_runs_cause_check;
ALTER TABLE check_runs
  ADD CONSTRAINT check_runs_cause_check CHECK (cause IN ('schedule', 'manual', 'webhook', 'version', 'build'));
-- Its agent reported the end, and has sent its notifications.
ALTER TABLE builds ADD COLUMN agent_ended boolean NOT NULL DEFAULT false;
CREATE TABLE build_notifications (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  build_id bigint NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
  moment text NOT NULL CHECK (moment IN ('waiting', 'ended')),
  due_at timestamptz NOT NULL DEFAULT now(),
  -- The run that sends them. It is given once: a run that is lost is not repeated, since it may have sent some.
  run_id bigint REFERENCES check_runs (id) ON DELETE SET NULL,
  -- Their names: `slack.ops`.
  notifications text[],
  -- As agents report them: [{"hook": "slack.ops", "error": "exit code 1.", "output": ""}].
  results jsonb,
  -- Why there are no results.
  error text,
  ended_at timestamptz,
  UNIQUE (build_id, moment)
);
CREATE INDEX build_notifications_open ON build_notifications (id) WHERE ended_at IS NULL;
CREATE INDEX build_notifications_of_run ON build_notifications (run_id);
CREATE FUNCTION record_due_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO build_notifications (build_id, moment)
  VALUES (NEW.id, CASE WHEN NEW.ended_at IS NULL THEN 'waiting' ELSE 'ended' END) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
-- Builds that are created for approval, or as superseded.
CREATE TRIGGER record_due_of_new AFTER INSERT ON builds FOR EACH ROW
  WHEN (NEW.status = 'waiting' OR NEW.reason = 'Superseded') EXECUTE FUNCTION record_due_notifications();
CREATE TRIGGER record_due_of_ended AFTER UPDATE OF ended_at ON builds FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NOT NEW.agent_ended)
  EXECUTE FUNCTION record_due_notifications();
