-- What people and manifests decide: pins, disabled versions, pauses, turns, votes.
ALTER TABLE teams ADD COLUMN running_builds integer;
ALTER TABLE pipelines
  -- spec.paused is there: the API may not change it.
  ADD COLUMN paused_by_manifest boolean NOT NULL DEFAULT false,
  ADD COLUMN paused_by text;
-- The pause of a pipeline is the pause of each of its jobs.
UPDATE jobs j SET paused = true FROM pipelines p WHERE p.id = j.pipeline_id AND p.paused;
ALTER TABLE jobs
  ADD COLUMN paused_by text,
  ADD COLUMN concurrency integer,
  ADD COLUMN serial_groups text[] NOT NULL DEFAULT '{}',
  ADD COLUMN interruptible boolean NOT NULL DEFAULT false,
  ADD COLUMN allow_failure boolean NOT NULL DEFAULT false,
  ADD COLUMN disable_retry boolean NOT NULL DEFAULT false,
  ADD COLUMN approval jsonb;
ALTER TABLE versions
  ADD COLUMN disabled boolean NOT NULL DEFAULT false,
  ADD COLUMN disabled_by text;
CREATE INDEX versions_disabled ON versions (scope_id) WHERE disabled;
ALTER TABLE resources
  ADD COLUMN pinned_version bigint REFERENCES versions (id),
  ADD COLUMN pinned_by text,
  ADD COLUMN pinned_at timestamptz,
  ADD COLUMN pin_comment text,
  -- Fields that the manifest pins the resource to; without a pinned_version no such version is known yet.
  ADD COLUMN pin_wanted jsonb;
CREATE INDEX resources_pinned ON resources (pinned_version) WHERE pinned_version IS NOT NULL;
ALTER TABLE job_triggers ADD COLUMN resource_id bigint REFERENCES resources (id);
ALTER TABLE job_triggers ADD COLUMN version_id bigint REFERENCES versions (id);

ALTER TABLE builds
  -- Its turn; null: it waits for it.
  ADD COLUMN admitted_at timestamptz,
  -- Why it has not had its turn.
  ADD COLUMN held jsonb,
  -- The gate that it waits at or has passed.
  ADD COLUMN gate jsonb,
  ADD COLUMN approved_at timestamptz,
  ADD COLUMN cancelled_by text,
  -- The sentence that the build ends with, whoever ends it.
  ADD COLUMN cancel_reason text,
  ADD COLUMN warned_by text;
UPDATE builds SET admitted_at = created_at WHERE ended_at IS NULL;
CREATE INDEX builds_queued ON builds (job_id, id) WHERE admitted_at IS NULL AND status = 'pending';
CREATE INDEX builds_running ON builds (job_id) WHERE admitted_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX builds_waiting ON builds (id) WHERE status = 'waiting';
-- Inputs of a build that a pin cancelled before it started were not used.
ALTER TABLE build_inputs ADD COLUMN used boolean NOT NULL DEFAULT true;
DROP INDEX build_inputs_used;
CREATE INDEX build_inputs_used ON build_inputs (job_id, resource_id, version_id DESC) WHERE used;

CREATE TABLE build_votes (
  build_id bigint NOT NULL REFERENCES builds (id),
  voter text NOT NULL,
  approve boolean NOT NULL,
  message text,
  voted_at timestamptz NOT NULL,
  PRIMARY KEY (build_id, voter)
);
