-- A triggered version goes on through `passed`: requests of one trigger share a number, and those that follow wait for upstream builds of it.
ALTER TABLE job_triggers
  ADD COLUMN cascade bigint,
  ADD COLUMN follows boolean NOT NULL DEFAULT false;
CREATE INDEX job_triggers_of_cascade ON job_triggers (cascade, job_id) WHERE cascade IS NOT NULL;
CREATE INDEX job_triggers_following ON job_triggers (requested_at) WHERE follows AND build_id IS NULL AND refused IS NULL;
CREATE SEQUENCE job_trigger_cascades;
