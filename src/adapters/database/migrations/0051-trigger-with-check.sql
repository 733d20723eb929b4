-- A trigger may wait for checks: for a run of each scope that is newer than the one that was there when it asked.
ALTER TABLE check_scopes ADD COLUMN last_run bigint NOT NULL DEFAULT 0;
ALTER TABLE job_triggers
  ADD COLUMN check_until timestamptz,
  ADD COLUMN checks jsonb;
CREATE INDEX job_triggers_checking ON job_triggers (check_until) WHERE check_until IS NOT NULL AND build_id IS NULL AND refused IS NULL;
