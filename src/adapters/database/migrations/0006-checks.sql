-- A schedule that becomes rarer once webhooks are seen to work, and checks that are held back without having failed.
ALTER TABLE check_scopes
  -- As the file says it; `schedule` is the one in force.
  ADD COLUMN usual_schedule jsonb,
  ADD COLUMN webhook_schedule jsonb,
  ADD COLUMN webhook_works boolean NOT NULL DEFAULT false,
  -- Why the open run checks this scope; runs hold scopes that are checked for different causes.
  ADD COLUMN run_cause text CHECK (run_cause IN ('schedule', 'manual', 'webhook')),
  -- Since when no Pod can be made for its check, and why.
  ADD COLUMN held_since timestamptz,
  ADD COLUMN held_reason text;
UPDATE check_scopes SET usual_schedule = schedule;
