-- What becomes of old builds, versions and logs.
ALTER TABLE teams ADD COLUMN retention jsonb;
ALTER TABLE jobs
  -- When all builds had been looked at; while they are, the last one that was.
  ADD COLUMN retained_at timestamptz,
  ADD COLUMN retained_to bigint NOT NULL DEFAULT 0;
CREATE INDEX jobs_to_retain ON jobs (retained_at NULLS FIRST, id);
ALTER TABLE check_scopes
  ADD COLUMN retained_at timestamptz,
  ADD COLUMN retained_to bigint NOT NULL DEFAULT 0;
CREATE INDEX check_scopes_to_retain ON check_scopes (retained_at NULLS FIRST, id);
-- The fields are gone; the digest stays, so that a check that tells of it again does not make it new.
ALTER TABLE versions ADD COLUMN forgotten boolean NOT NULL DEFAULT false;
CREATE INDEX versions_remembered ON versions (scope_id, id) WHERE NOT forgotten;
CREATE INDEX job_triggers_by_build ON job_triggers (build_id) WHERE build_id IS NOT NULL;
CREATE INDEX job_triggers_refused ON job_triggers (requested_at) WHERE refused IS NOT NULL;
CREATE INDEX check_runs_closed ON check_runs (closed_at) WHERE closed_at IS NOT NULL;
