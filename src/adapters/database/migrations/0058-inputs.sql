-- Inputs of a job, as its definition has them: decisions read them under the pipeline's lock.
ALTER TABLE jobs ADD COLUMN inputs jsonb NOT NULL DEFAULT '[]';
-- What a person gave, by name, as it was sent. Checked when the build is decided.
ALTER TABLE job_triggers ADD COLUMN input_values jsonb;
-- The value of each input of the build, by name, as its variable holds it.
ALTER TABLE builds ADD COLUMN input_values jsonb NOT NULL DEFAULT '{}';
