-- Teams, pipelines and their revisions, resources and versions, jobs and builds, logs, agents.
-- Ids are never reused; what goes is marked, so that the same name finds its history again.

CREATE TABLE teams (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  namespace text NOT NULL,
  display_name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);

CREATE TABLE pipelines (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id bigint NOT NULL REFERENCES teams,
  name text NOT NULL,
  namespace text NOT NULL,
  uid text NOT NULL,
  display_name text,
  public boolean NOT NULL DEFAULT false,
  paused boolean NOT NULL DEFAULT false,
  revision integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  UNIQUE (team_id, name)
);

-- A definition as it was accepted; builds keep the revision they were made from.
CREATE TABLE revisions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines,
  number integer NOT NULL,
  digest text NOT NULL,
  config text NOT NULL,
  definition jsonb NOT NULL,
  actor text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (pipeline_id, number)
);

CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines,
  name text NOT NULL,
  position integer NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  next_number integer NOT NULL DEFAULT 1,
  -- Counters: a decision is wanted while more was requested than the last decision had seen.
  schedule_requested bigint NOT NULL DEFAULT 0,
  last_scheduled bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  UNIQUE (pipeline_id, name)
) WITH (fillfactor = 80);
CREATE INDEX jobs_to_schedule ON jobs (pipeline_id, id) WHERE schedule_requested > last_scheduled;

CREATE TABLE check_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines,
  check_group text NOT NULL,
  cause text NOT NULL CHECK (cause IN ('schedule', 'manual', 'webhook')),
  -- Set for a Pod that a CronJob made: that Pod gets this run again.
  pod_uid text UNIQUE,
  opened_at timestamptz NOT NULL,
  -- When an agent came for the run.
  seen_at timestamptz,
  closed_at timestamptz,
  error text
);
CREATE INDEX check_runs_open ON check_runs (id) WHERE closed_at IS NULL;

-- Stands between resource and versions (one to one today), so that resources of a team can share checks one day.
CREATE TABLE check_scopes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines,
  -- {"kind": "every", "seconds": n} or {"kind": "cron", "expression": "…"}; null: on request only.
  schedule jsonb,
  -- Who starts scheduled checks: the operator, a CronJob, or nobody.
  timer text NOT NULL DEFAULT 'none' CHECK (timer IN ('operator', 'cronjob', 'none')),
  check_group text NOT NULL DEFAULT '',
  -- What answers a check: an agent in a Pod, the operator itself (built-in cron), or nothing (the type cannot check).
  checked_by text NOT NULL DEFAULT 'nothing' CHECK (checked_by IN ('pod', 'operator', 'nothing')),
  live boolean NOT NULL DEFAULT true,
  next_check_at timestamptz,
  requested_at timestamptz,
  requested_cause text CHECK (requested_cause IN ('schedule', 'manual', 'webhook')),
  -- The open run that checks it now.
  run_id bigint REFERENCES check_runs,
  last_checked_at timestamptz,
  last_error text,
  last_log text,
  failures integer NOT NULL DEFAULT 0,
  -- Versions that the last check returned beyond the most that one check may bring.
  cut integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
CREATE INDEX check_scopes_due ON check_scopes (next_check_at) WHERE live AND run_id IS NULL AND timer = 'operator';
CREATE INDEX check_scopes_requested ON check_scopes (requested_at) WHERE live AND run_id IS NULL AND requested_at IS NOT NULL;
CREATE INDEX check_scopes_by_run ON check_scopes (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX check_scopes_by_pipeline ON check_scopes (pipeline_id, check_group);

CREATE TABLE resources (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines,
  scope_id bigint NOT NULL REFERENCES check_scopes,
  name text NOT NULL,
  type text NOT NULL,
  position integer NOT NULL,
  webhook_generation integer NOT NULL DEFAULT 1,
  -- SHA-256 of the token, which itself is nowhere: it is derived from id and generation under the webhook key.
  webhook_hash text UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  UNIQUE (pipeline_id, name)
);
CREATE INDEX resources_by_scope ON resources (scope_id);

CREATE TABLE builds (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id bigint NOT NULL REFERENCES jobs,
  revision_id bigint NOT NULL REFERENCES revisions,
  number integer NOT NULL,
  -- 0 for the build itself, k for its retry N.k.
  retry integer NOT NULL DEFAULT 0,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning')),
  attempt integer NOT NULL DEFAULT 1,
  -- The current attempt has no Pod yet.
  wants_pod boolean NOT NULL DEFAULT true,
  cause jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  reason text,
  message text,
  pending_reason text,
  -- Not tried again before, because its Pod was refused.
  start_after timestamptz,
  start_refusals integer NOT NULL DEFAULT 0,
  cancel_requested_at timestamptz,
  UNIQUE (job_id, number, retry)
) WITH (fillfactor = 85);
CREATE INDEX builds_to_start ON builds (id) WHERE wants_pod;
CREATE INDEX builds_open ON builds (id) WHERE ended_at IS NULL;
CREATE INDEX builds_active_of_job ON builds (job_id) WHERE ended_at IS NULL;
CREATE INDEX builds_good_of_job ON builds (job_id, id DESC) WHERE status IN ('succeeded', 'warning');
CREATE INDEX builds_of_job ON builds (job_id, id DESC);

CREATE TABLE versions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope_id bigint NOT NULL REFERENCES check_scopes,
  -- SHA-256 of the canonical JSON of the fields.
  digest bytea NOT NULL,
  fields jsonb NOT NULL,
  found_at timestamptz NOT NULL,
  -- The build whose put made it.
  build_id bigint,
  UNIQUE (scope_id, digest)
);
CREATE UNIQUE INDEX versions_of_scope ON versions (scope_id, id);

-- What the steps `get` of the current definition of a job ask for.
CREATE TABLE job_gets (
  job_id bigint NOT NULL REFERENCES jobs,
  position integer NOT NULL,
  name text NOT NULL,
  resource_id bigint NOT NULL REFERENCES resources,
  trigger boolean NOT NULL,
  passed bigint[] NOT NULL DEFAULT '{}',
  -- Versions up to this id trigger the job no more: known before the get became a trigger, found while paused, or dealt with.
  dealt_with bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, position)
) WITH (fillfactor = 80);
CREATE INDEX job_gets_by_resource ON job_gets (resource_id, job_id);
CREATE INDEX job_gets_by_passed ON job_gets USING gin (passed);

CREATE TABLE job_triggers (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  job_id bigint NOT NULL REFERENCES jobs,
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL,
  build_id bigint REFERENCES builds,
  -- Why it could not be answered by a build.
  refused jsonb
);
CREATE INDEX job_triggers_open ON job_triggers (job_id, id) WHERE build_id IS NULL AND refused IS NULL;

CREATE TABLE build_attempts (
  build_id bigint NOT NULL REFERENCES builds,
  attempt integer NOT NULL,
  created_at timestamptz NOT NULL,
  pod_uid text,
  pod_created_at timestamptz,
  -- Highest sequence number of the agent's events that is applied.
  applied integer NOT NULL DEFAULT 0,
  log_bytes bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  -- Why another attempt followed.
  reason text,
  PRIMARY KEY (build_id, attempt)
) WITH (fillfactor = 80);

CREATE TABLE build_steps (
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  position integer NOT NULL,
  step text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('get', 'task', 'put')),
  name text NOT NULL,
  resource text,
  status text NOT NULL CHECK (status IN ('waiting', 'started', 'succeeded', 'failed', 'cancelled', 'skipped')),
  started_at timestamptz,
  ended_at timestamptz,
  exit_code integer,
  message text,
  PRIMARY KEY (build_id, attempt, position),
  FOREIGN KEY (build_id, attempt) REFERENCES build_attempts
) WITH (fillfactor = 80);

-- Which version each get of a build used; job_id is the build's, for the index.
CREATE TABLE build_inputs (
  build_id bigint NOT NULL REFERENCES builds,
  position integer NOT NULL,
  job_id bigint NOT NULL,
  name text NOT NULL,
  resource_id bigint NOT NULL REFERENCES resources,
  version_id bigint NOT NULL REFERENCES versions,
  PRIMARY KEY (build_id, position)
);
CREATE INDEX build_inputs_used ON build_inputs (job_id, resource_id, version_id DESC);
CREATE INDEX build_inputs_by_version ON build_inputs (version_id, build_id);

-- Versions that puts of a build made.
CREATE TABLE build_outputs (
  build_id bigint NOT NULL REFERENCES builds,
  attempt integer NOT NULL,
  step text NOT NULL,
  resource_id bigint NOT NULL REFERENCES resources,
  version_id bigint NOT NULL REFERENCES versions,
  PRIMARY KEY (build_id, attempt, step)
);
CREATE INDEX build_outputs_by_version ON build_outputs (version_id, build_id);

-- Versions in good builds, written in the transaction that ends the build: what `passed` asks for, from one index.
CREATE TABLE good_versions (
  job_id bigint NOT NULL REFERENCES jobs,
  resource_id bigint NOT NULL REFERENCES resources,
  version_id bigint NOT NULL REFERENCES versions,
  build_id bigint NOT NULL REFERENCES builds,
  PRIMARY KEY (job_id, resource_id, version_id, build_id)
);
CREATE INDEX good_versions_of_build ON good_versions (build_id, resource_id, version_id);

-- Partitioned by the month in which the build was made, so that a month of logs goes by dropping one table.
CREATE TABLE build_logs (
  month date NOT NULL,
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  sequence integer NOT NULL,
  step text NOT NULL,
  logged_at timestamptz NOT NULL,
  encoding text NOT NULL CHECK (encoding IN ('plain', 'zstd')),
  content bytea NOT NULL,
  PRIMARY KEY (month, build_id, attempt, sequence)
) PARTITION BY RANGE (month);
CREATE TABLE build_logs_default PARTITION OF build_logs DEFAULT;

CREATE TABLE agent_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  build_id bigint REFERENCES builds,
  attempt integer,
  run_id bigint REFERENCES check_runs,
  -- SHA-256 of the key that the agent chose.
  key_hash text NOT NULL UNIQUE,
  pod_uid text NOT NULL,
  opened_at timestamptz NOT NULL,
  CHECK ((build_id IS NULL) <> (run_id IS NULL) AND (build_id IS NULL) = (attempt IS NULL)),
  UNIQUE (build_id, attempt),
  UNIQUE (run_id)
);

-- One row; whoever holds a lock on it while it carries their epoch is the leader for that transaction.
CREATE TABLE leader_epochs (
  scope text PRIMARY KEY,
  epoch bigint NOT NULL,
  holder text NOT NULL,
  taken_at timestamptz NOT NULL
);
INSERT INTO leader_epochs VALUES ('operator', 0, '', now());
