-- Written by `node tools/schema/main.ts` from a migrated database. Do not edit.

CREATE TABLE agent_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  build_id bigint,
  attempt integer,
  run_id bigint,
  key_hash text NOT NULL,
  pod_uid text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  CONSTRAINT agent_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT agent_sessions_build_id_attempt_key UNIQUE (build_id, attempt),
  CONSTRAINT agent_sessions_key_hash_key UNIQUE (key_hash),
  CONSTRAINT agent_sessions_run_id_key UNIQUE (run_id),
  CONSTRAINT agent_sessions_check CHECK ((((build_id IS NULL) <> (run_id IS NULL)) AND ((build_id IS NULL) = (attempt IS NULL)))),
  CONSTRAINT agent_sessions_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  CONSTRAINT agent_sessions_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id)
);

CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  user_id bigint NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  prefix text NOT NULL,
  team_id bigint,
  role text,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT api_tokens_hash_key UNIQUE (hash),
  CONSTRAINT api_tokens_user_id_name_key UNIQUE (user_id, name),
  CONSTRAINT api_tokens_check CHECK (((team_id IS NULL) = (role IS NULL))),
  CONSTRAINT api_tokens_role_check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text, 'maintain'::text, 'admin'::text]))),
  CONSTRAINT api_tokens_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX api_tokens_by_team ON public.api_tokens USING btree (team_id, user_id);

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  team text,
  actor text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL,
  target text NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_of_team ON public.audit_log USING btree (team, id DESC);

CREATE TABLE auth_settings (
  one boolean DEFAULT true NOT NULL,
  local boolean DEFAULT true NOT NULL,
  CONSTRAINT auth_settings_pkey PRIMARY KEY (one),
  CONSTRAINT auth_settings_one_check CHECK (one)
);

CREATE TABLE build_attempts (
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  pod_uid text,
  pod_created_at timestamp with time zone,
  applied integer DEFAULT 0 NOT NULL,
  log_bytes bigint DEFAULT 0 NOT NULL,
  ended_at timestamp with time zone,
  reason text,
  stored_log_bytes bigint DEFAULT 0 NOT NULL,
  identity_tokens integer DEFAULT 0 NOT NULL,
  pod_name text,
  pod_scheduled_at timestamp with time zone,
  containers_started_at timestamp with time zone,
  CONSTRAINT build_attempts_pkey PRIMARY KEY (build_id, attempt),
  CONSTRAINT build_attempts_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id)
);
CREATE INDEX build_attempts_with_log ON public.build_attempts USING btree (build_id) INCLUDE (stored_log_bytes) WHERE (stored_log_bytes > 0);

CREATE TABLE build_inputs (
  build_id bigint NOT NULL,
  "position" integer NOT NULL,
  job_id bigint NOT NULL,
  name text NOT NULL,
  resource_id bigint NOT NULL,
  version_id bigint NOT NULL,
  used boolean DEFAULT true NOT NULL,
  nth smallint DEFAULT 0 NOT NULL,
  CONSTRAINT build_inputs_pkey PRIMARY KEY (build_id, "position"),
  CONSTRAINT build_inputs_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  CONSTRAINT build_inputs_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT build_inputs_version_id_fkey FOREIGN KEY (version_id) REFERENCES versions(id)
);
CREATE INDEX build_inputs_by_version ON public.build_inputs USING btree (version_id, build_id);
CREATE INDEX build_inputs_used ON public.build_inputs USING btree (job_id, resource_id, version_id DESC) WHERE used;

CREATE TABLE build_logs (
  month date NOT NULL,
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  sequence integer NOT NULL,
  step text NOT NULL,
  logged_at timestamp with time zone NOT NULL,
  encoding text NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT build_logs_pkey PRIMARY KEY (month, build_id, attempt, sequence),
  CONSTRAINT build_logs_encoding_check CHECK ((encoding = ANY (ARRAY['plain'::text, 'zstd'::text])))
) PARTITION BY RANGE (month);

CREATE TABLE build_notifications (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  build_id bigint NOT NULL,
  moment text NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  run_id bigint,
  notifications text[],
  results jsonb,
  error text,
  ended_at timestamp with time zone,
  CONSTRAINT build_notifications_pkey PRIMARY KEY (id),
  CONSTRAINT build_notifications_build_id_moment_key UNIQUE (build_id, moment),
  CONSTRAINT build_notifications_moment_check CHECK ((moment = ANY (ARRAY['waiting'::text, 'ended'::text]))),
  CONSTRAINT build_notifications_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  CONSTRAINT build_notifications_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id) ON DELETE SET NULL
);
CREATE INDEX build_notifications_of_run ON public.build_notifications USING btree (run_id);
CREATE INDEX build_notifications_open ON public.build_notifications USING btree (id) WHERE (ended_at IS NULL);

CREATE TABLE build_outputs (
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  step text NOT NULL,
  resource_id bigint NOT NULL,
  version_id bigint NOT NULL,
  CONSTRAINT build_outputs_pkey PRIMARY KEY (build_id, attempt, step),
  CONSTRAINT build_outputs_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  CONSTRAINT build_outputs_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT build_outputs_version_id_fkey FOREIGN KEY (version_id) REFERENCES versions(id)
);
CREATE INDEX build_outputs_by_version ON public.build_outputs USING btree (version_id, build_id);

CREATE TABLE build_steps (
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  "position" integer NOT NULL,
  step text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  resource text,
  status text NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  exit_code integer,
  message text,
  parent text,
  hook text,
  step_attempt integer,
  metadata jsonb,
  CONSTRAINT build_steps_pkey PRIMARY KEY (build_id, attempt, "position"),
  CONSTRAINT build_steps_hook_check CHECK ((hook = ANY (ARRAY['on_success'::text, 'on_failure'::text, 'on_cancel'::text, 'ensure'::text]))),
  CONSTRAINT build_steps_kind_check CHECK ((kind = ANY (ARRAY['get'::text, 'task'::text, 'put'::text, 'notify'::text, 'command'::text, 'service'::text, 'parallel'::text, 'branch'::text]))) NOT VALID,
  CONSTRAINT build_steps_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'started'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'skipped'::text]))),
  CONSTRAINT build_steps_build_id_attempt_fkey FOREIGN KEY (build_id, attempt) REFERENCES build_attempts(build_id, attempt)
);

CREATE TABLE build_votes (
  build_id bigint NOT NULL,
  voter text NOT NULL,
  approve boolean NOT NULL,
  message text,
  voted_at timestamp with time zone NOT NULL,
  CONSTRAINT build_votes_pkey PRIMARY KEY (build_id, voter),
  CONSTRAINT build_votes_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id)
);

CREATE TABLE builds (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  job_id bigint NOT NULL,
  revision_id bigint NOT NULL,
  number integer NOT NULL,
  retry integer DEFAULT 0 NOT NULL,
  status text DEFAULT 'pending'::text NOT NULL,
  attempt integer DEFAULT 1 NOT NULL,
  wants_pod boolean DEFAULT true NOT NULL,
  cause jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  reason text,
  message text,
  pending_reason text,
  start_after timestamp with time zone,
  start_refusals integer DEFAULT 0 NOT NULL,
  cancel_requested_at timestamp with time zone,
  admitted_at timestamp with time zone,
  held jsonb,
  gate jsonb,
  approved_at timestamp with time zone,
  cancelled_by text,
  cancel_reason text,
  warned_by text,
  queue_place bigint,
  input_values jsonb DEFAULT '{}'::jsonb NOT NULL,
  agent_ended boolean DEFAULT false NOT NULL,
  CONSTRAINT builds_pkey PRIMARY KEY (id),
  CONSTRAINT builds_job_id_number_retry_key UNIQUE (job_id, number, retry),
  CONSTRAINT builds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'waiting'::text, 'started'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'warning'::text]))),
  CONSTRAINT builds_waiting_gate CHECK (((status <> 'waiting'::text) OR (gate IS NOT NULL))) NOT VALID,
  CONSTRAINT builds_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id),
  CONSTRAINT builds_revision_id_fkey FOREIGN KEY (revision_id) REFERENCES revisions(id)
);
CREATE INDEX builds_active_of_job ON public.builds USING btree (job_id) WHERE (ended_at IS NULL);
CREATE INDEX builds_good_of_job ON public.builds USING btree (job_id, id DESC) WHERE (status = ANY (ARRAY['succeeded'::text, 'warning'::text]));
CREATE INDEX builds_of_job ON public.builds USING btree (job_id, id DESC);
CREATE INDEX builds_of_newest_set ON public.builds USING btree (job_id, id) WHERE ((ended_at IS NULL) AND ((cause ->> 'kind'::text) = 'ready'::text));
CREATE INDEX builds_of_revision ON public.builds USING btree (revision_id);
CREATE INDEX builds_queued ON public.builds USING btree (job_id, id) WHERE ((admitted_at IS NULL) AND (status = 'pending'::text));
CREATE INDEX builds_queued_by_place ON public.builds USING btree (job_id, COALESCE(queue_place, id)) WHERE ((admitted_at IS NULL) AND (status = 'pending'::text));
CREATE INDEX builds_running ON public.builds USING btree (job_id) WHERE ((admitted_at IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX builds_to_start ON public.builds USING btree (id) WHERE wants_pod;
CREATE INDEX builds_to_start_of_job ON public.builds USING btree (job_id, id) WHERE wants_pod;
CREATE INDEX builds_waiting ON public.builds USING btree (id) WHERE (status = 'waiting'::text);

CREATE TABLE cache_uses (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  cache_id bigint NOT NULL,
  generation integer NOT NULL,
  build_id bigint,
  attempt integer,
  run_id bigint,
  reason text,
  message text,
  used_at timestamp with time zone NOT NULL,
  CONSTRAINT cache_uses_pkey PRIMARY KEY (id),
  CONSTRAINT cache_uses_build_id_attempt_cache_id_key UNIQUE (build_id, attempt, cache_id),
  CONSTRAINT cache_uses_check CHECK (((build_id IS NULL) <> (run_id IS NULL))),
  CONSTRAINT cache_uses_check1 CHECK (((build_id IS NULL) = (attempt IS NULL))),
  CONSTRAINT cache_uses_check2 CHECK (((reason IS NULL) = (message IS NULL))),
  CONSTRAINT cache_uses_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  CONSTRAINT cache_uses_cache_id_fkey FOREIGN KEY (cache_id) REFERENCES caches(id) ON DELETE CASCADE,
  CONSTRAINT cache_uses_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id) ON DELETE CASCADE
);
CREATE INDEX cache_uses_of_cache ON public.cache_uses USING btree (cache_id, id);
CREATE UNIQUE INDEX cache_uses_of_run ON public.cache_uses USING btree (run_id, cache_id) WHERE (run_id IS NOT NULL);

CREATE TABLE caches (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  resource text NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone,
  bytes bigint,
  CONSTRAINT caches_pkey PRIMARY KEY (id),
  CONSTRAINT caches_pipeline_id_resource_key UNIQUE (pipeline_id, resource),
  CONSTRAINT caches_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id) ON DELETE CASCADE
);

CREATE TABLE check_runs (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  check_group text NOT NULL,
  cause text NOT NULL,
  pod_uid text,
  opened_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone,
  closed_at timestamp with time zone,
  error text,
  revision_id bigint,
  CONSTRAINT check_runs_pkey PRIMARY KEY (id),
  CONSTRAINT check_runs_pod_uid_key UNIQUE (pod_uid),
  CONSTRAINT check_runs_cause_check CHECK ((cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'webhook'::text, 'version'::text, 'build'::text]))),
  CONSTRAINT check_runs_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  CONSTRAINT check_runs_revision_id_fkey FOREIGN KEY (revision_id) REFERENCES revisions(id)
);
CREATE INDEX check_runs_closed ON public.check_runs USING btree (closed_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX check_runs_of_revision ON public.check_runs USING btree (revision_id);
CREATE INDEX check_runs_open ON public.check_runs USING btree (id) WHERE (closed_at IS NULL);

CREATE TABLE check_scopes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  schedule jsonb,
  timer text DEFAULT 'none'::text NOT NULL,
  check_group text DEFAULT ''::text NOT NULL,
  checked_by text DEFAULT 'nothing'::text NOT NULL,
  live boolean DEFAULT true NOT NULL,
  next_check_at timestamp with time zone,
  requested_at timestamp with time zone,
  requested_cause text,
  run_id bigint,
  last_checked_at timestamp with time zone,
  last_error text,
  last_log text,
  failures integer DEFAULT 0 NOT NULL,
  cut integer DEFAULT 0 NOT NULL,
  usual_schedule jsonb,
  webhook_schedule jsonb,
  webhook_works boolean DEFAULT false NOT NULL,
  run_cause text,
  held_since timestamp with time zone,
  held_reason text,
  retained_at timestamp with time zone DEFAULT now(),
  retained_to bigint DEFAULT 0 NOT NULL,
  last_hooks jsonb,
  resource_id bigint,
  fingerprint text,
  last_run bigint DEFAULT 0 NOT NULL,
  CONSTRAINT check_scopes_pkey PRIMARY KEY (id),
  CONSTRAINT check_scopes_checked_by_check CHECK ((checked_by = ANY (ARRAY['pod'::text, 'operator'::text, 'nothing'::text]))),
  CONSTRAINT check_scopes_requested_cause_check CHECK ((requested_cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'webhook'::text]))),
  CONSTRAINT check_scopes_run_cause_check CHECK ((run_cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'webhook'::text]))),
  CONSTRAINT check_scopes_timer_check CHECK ((timer = ANY (ARRAY['operator'::text, 'cronjob'::text, 'none'::text]))),
  CONSTRAINT check_scopes_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  CONSTRAINT check_scopes_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT check_scopes_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id)
);
CREATE INDEX check_scopes_by_pipeline ON public.check_scopes USING btree (pipeline_id, check_group);
CREATE INDEX check_scopes_by_run ON public.check_scopes USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX check_scopes_due ON public.check_scopes USING btree (next_check_at) WHERE (live AND (run_id IS NULL) AND (timer = 'operator'::text));
CREATE UNIQUE INDEX check_scopes_of_resource ON public.check_scopes USING btree (resource_id, fingerprint);
CREATE INDEX check_scopes_requested ON public.check_scopes USING btree (requested_at) WHERE (live AND (run_id IS NULL) AND (requested_at IS NOT NULL));
CREATE INDEX check_scopes_to_retain ON public.check_scopes USING btree (retained_at NULLS FIRST, id);

CREATE TABLE cli_logins (
  challenge text NOT NULL,
  code text NOT NULL,
  client text NOT NULL,
  address text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  session_id text,
  CONSTRAINT cli_logins_pkey PRIMARY KEY (challenge),
  CONSTRAINT cli_logins_code_key UNIQUE (code),
  CONSTRAINT cli_logins_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id) ON DELETE CASCADE
);
CREATE INDEX cli_logins_by_session ON public.cli_logins USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX cli_logins_by_time ON public.cli_logins USING btree (expires_at);

CREATE TABLE debug_messages (
  session_id bigint NOT NULL,
  direction text NOT NULL,
  sequence integer NOT NULL,
  message text NOT NULL,
  CONSTRAINT debug_messages_pkey PRIMARY KEY (session_id, direction, sequence),
  CONSTRAINT debug_messages_direction_check CHECK ((direction = ANY (ARRAY['input'::text, 'output'::text]))),
  CONSTRAINT debug_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES debug_sessions(id) ON DELETE CASCADE
);

CREATE TABLE debug_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  step text NOT NULL,
  step_name text NOT NULL,
  team text NOT NULL,
  target text NOT NULL,
  opened_by text NOT NULL,
  command jsonb NOT NULL,
  columns integer,
  rows integer,
  state text DEFAULT 'opening'::text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  input_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  last_input integer DEFAULT 0 NOT NULL,
  last_output integer DEFAULT 0 NOT NULL,
  ended jsonb,
  CONSTRAINT debug_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT debug_sessions_check CHECK (((state = 'ended'::text) = (ended IS NOT NULL))),
  CONSTRAINT debug_sessions_check1 CHECK (((columns IS NULL) = (rows IS NULL))),
  CONSTRAINT debug_sessions_state_check CHECK ((state = ANY (ARRAY['opening'::text, 'open'::text, 'ended'::text]))),
  CONSTRAINT debug_sessions_build_id_attempt_fkey FOREIGN KEY (build_id, attempt) REFERENCES build_attempts(build_id, attempt) ON DELETE CASCADE
);
CREATE INDEX debug_sessions_of_build ON public.debug_sessions USING btree (build_id, attempt);

CREATE TABLE get_marks (
  job_id bigint NOT NULL,
  scope_id bigint NOT NULL,
  gated boolean NOT NULL,
  every boolean NOT NULL,
  dealt_with bigint NOT NULL,
  settled bigint NOT NULL,
  floor bigint NOT NULL,
  CONSTRAINT get_marks_pkey PRIMARY KEY (job_id, scope_id),
  CONSTRAINT get_marks_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id),
  CONSTRAINT get_marks_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES check_scopes(id)
);

CREATE TABLE good_versions (
  job_id bigint NOT NULL,
  resource_id bigint NOT NULL,
  version_id bigint NOT NULL,
  build_id bigint NOT NULL,
  scope_id bigint NOT NULL,
  place bigint NOT NULL,
  CONSTRAINT good_versions_pkey PRIMARY KEY (job_id, resource_id, version_id, build_id),
  CONSTRAINT good_versions_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  CONSTRAINT good_versions_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id),
  CONSTRAINT good_versions_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT good_versions_version_id_fkey FOREIGN KEY (version_id) REFERENCES versions(id)
);
CREATE INDEX good_versions_in_order ON public.good_versions USING btree (job_id, scope_id, place, build_id);
CREATE INDEX good_versions_of_build ON public.good_versions USING btree (build_id, resource_id, version_id);

CREATE TABLE hook_runs (
  run_id bigint NOT NULL,
  resource_id bigint NOT NULL,
  first_version bigint NOT NULL,
  last_version bigint NOT NULL,
  held_until timestamp with time zone NOT NULL,
  open boolean DEFAULT true NOT NULL,
  CONSTRAINT hook_runs_pkey PRIMARY KEY (run_id),
  CONSTRAINT hook_runs_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT hook_runs_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id) ON DELETE CASCADE
);
CREATE INDEX hook_runs_open ON public.hook_runs USING btree (resource_id, first_version) WHERE open;

CREATE TABLE identity_keys (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kid text NOT NULL,
  public_key jsonb NOT NULL,
  ciphertext bytea NOT NULL,
  wrapped_key bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  signs_from timestamp with time zone NOT NULL,
  CONSTRAINT identity_keys_pkey PRIMARY KEY (id),
  CONSTRAINT identity_keys_kid_key UNIQUE (kid)
);

CREATE TABLE image_configurations (
  digest text NOT NULL,
  architecture text NOT NULL,
  configuration jsonb NOT NULL,
  stored_at timestamp with time zone NOT NULL,
  CONSTRAINT image_configurations_pkey PRIMARY KEY (digest, architecture)
);
CREATE INDEX image_configurations_by_age ON public.image_configurations USING btree (stored_at);

CREATE TABLE image_look_ups (
  namespace text NOT NULL,
  image text NOT NULL,
  architecture text NOT NULL,
  digest text,
  checked_at timestamp with time zone,
  failure text,
  transient boolean DEFAULT false NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  retry_at timestamp with time zone,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT image_look_ups_pkey PRIMARY KEY (namespace, image, architecture)
);
CREATE INDEX image_look_ups_by_age ON public.image_look_ups USING btree (updated_at);

CREATE TABLE job_gets (
  job_id bigint NOT NULL,
  "position" integer NOT NULL,
  name text NOT NULL,
  resource_id bigint NOT NULL,
  trigger boolean NOT NULL,
  passed bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  dealt_with bigint DEFAULT 0 NOT NULL,
  every boolean DEFAULT false NOT NULL,
  settled bigint DEFAULT 0 NOT NULL,
  floor bigint DEFAULT 0 NOT NULL,
  scope_id bigint,
  nth smallint DEFAULT 0 NOT NULL,
  CONSTRAINT job_gets_pkey PRIMARY KEY (job_id, "position"),
  CONSTRAINT job_gets_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id),
  CONSTRAINT job_gets_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT job_gets_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES check_scopes(id)
);
CREATE INDEX job_gets_by_passed ON public.job_gets USING gin (passed);
CREATE INDEX job_gets_by_resource ON public.job_gets USING btree (resource_id, job_id);

CREATE TABLE job_names (
  job_id bigint NOT NULL,
  revision integer NOT NULL,
  name text NOT NULL,
  CONSTRAINT job_names_pkey PRIMARY KEY (job_id, revision),
  CONSTRAINT job_names_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id)
);

CREATE TABLE job_triggers (
  id bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  job_id bigint NOT NULL,
  requested_by text NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  build_id bigint,
  refused jsonb,
  resource_id bigint,
  version_id bigint,
  cascade bigint,
  follows boolean DEFAULT false NOT NULL,
  check_until timestamp with time zone,
  checks jsonb,
  input_values jsonb,
  CONSTRAINT job_triggers_pkey PRIMARY KEY (id),
  CONSTRAINT job_triggers_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  CONSTRAINT job_triggers_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id),
  CONSTRAINT job_triggers_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT job_triggers_version_id_fkey FOREIGN KEY (version_id) REFERENCES versions(id)
);
CREATE INDEX job_triggers_by_build ON public.job_triggers USING btree (build_id) WHERE (build_id IS NOT NULL);
CREATE INDEX job_triggers_checking ON public.job_triggers USING btree (check_until) WHERE ((check_until IS NOT NULL) AND (build_id IS NULL) AND (refused IS NULL));
CREATE INDEX job_triggers_following ON public.job_triggers USING btree (requested_at) WHERE (follows AND (build_id IS NULL) AND (refused IS NULL));
CREATE INDEX job_triggers_of_cascade ON public.job_triggers USING btree (cascade, job_id) WHERE (cascade IS NOT NULL);
CREATE INDEX job_triggers_open ON public.job_triggers USING btree (job_id, id) WHERE ((build_id IS NULL) AND (refused IS NULL));
CREATE INDEX job_triggers_refused ON public.job_triggers USING btree (requested_at) WHERE (refused IS NOT NULL);

CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  name text NOT NULL,
  "position" integer NOT NULL,
  paused boolean DEFAULT false NOT NULL,
  next_number integer DEFAULT 1 NOT NULL,
  schedule_requested bigint DEFAULT 0 NOT NULL,
  last_scheduled bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  paused_by text,
  concurrency integer,
  serial_groups text[] DEFAULT '{}'::text[] NOT NULL,
  interruptible boolean DEFAULT false NOT NULL,
  allow_failure boolean DEFAULT false NOT NULL,
  disable_retry boolean DEFAULT false NOT NULL,
  approval jsonb,
  retained_at timestamp with time zone DEFAULT now(),
  retained_to bigint DEFAULT 0 NOT NULL,
  supersede boolean DEFAULT true NOT NULL,
  inputs jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_pipeline_id_name_key UNIQUE (pipeline_id, name),
  CONSTRAINT jobs_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id)
);
CREATE INDEX jobs_to_retain ON public.jobs USING btree (retained_at NULLS FIRST, id);
CREATE INDEX jobs_to_schedule ON public.jobs USING btree (pipeline_id, id) WHERE (schedule_requested > last_scheduled);

CREATE TABLE kept_sources (
  team text NOT NULL,
  pipeline text NOT NULL,
  key text NOT NULL,
  sources jsonb NOT NULL,
  fetched_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT kept_sources_pkey PRIMARY KEY (team, pipeline)
);

CREATE TABLE leader_epochs (
  scope text NOT NULL,
  epoch bigint NOT NULL,
  holder text NOT NULL,
  taken_at timestamp with time zone NOT NULL,
  CONSTRAINT leader_epochs_pkey PRIMARY KEY (scope)
);

CREATE TABLE oauth_flows (
  state_hash text NOT NULL,
  provider text NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  browser_hash text NOT NULL,
  user_id bigint,
  expires_at timestamp with time zone NOT NULL,
  session_id text,
  CONSTRAINT oauth_flows_pkey PRIMARY KEY (state_hash),
  CONSTRAINT oauth_flows_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id) ON DELETE CASCADE,
  CONSTRAINT oauth_flows_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_flows_by_session ON public.oauth_flows USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX oauth_flows_by_time ON public.oauth_flows USING btree (expires_at);

CREATE TABLE oauth_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id bigint NOT NULL,
  provider text NOT NULL,
  linked_at timestamp with time zone NOT NULL,
  groups jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT oauth_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT oauth_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_identities_by_provider ON public.oauth_identities USING btree (provider);
CREATE INDEX oauth_identities_by_user ON public.oauth_identities USING btree (user_id);

CREATE TABLE oauth_profiles (
  token_hash text NOT NULL,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  browser_hash text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  groups jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT oauth_profiles_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX oauth_profiles_by_time ON public.oauth_profiles USING btree (expires_at);

CREATE TABLE oauth_providers (
  canonical text NOT NULL,
  display_name text,
  type text NOT NULL,
  client_id text NOT NULL,
  secret_key text NOT NULL,
  issuer_url text,
  auth_url text,
  token_url text,
  user_info_url text,
  scopes jsonb,
  username_claim text,
  enabled boolean NOT NULL,
  issuer text NOT NULL,
  uid text,
  generation bigint,
  by_api boolean DEFAULT false NOT NULL,
  groups_claim text,
  CONSTRAINT oauth_providers_pkey PRIMARY KEY (canonical),
  CONSTRAINT oauth_providers_type_check CHECK ((type = ANY (ARRAY['OIDC'::text, 'OAuth2'::text])))
);

CREATE TABLE pipeline_renames (
  uid text NOT NULL,
  pipeline_id bigint NOT NULL,
  key text NOT NULL,
  from_name text NOT NULL,
  to_name text NOT NULL,
  asked_by text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  moved_at timestamp with time zone,
  CONSTRAINT pipeline_renames_pkey PRIMARY KEY (uid),
  CONSTRAINT pipeline_renames_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id)
);

CREATE TABLE pipelines (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  team_id bigint NOT NULL,
  name text NOT NULL,
  namespace text NOT NULL,
  uid text NOT NULL,
  display_name text,
  public boolean DEFAULT false NOT NULL,
  paused boolean DEFAULT false NOT NULL,
  revision integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  paused_by_manifest boolean DEFAULT false NOT NULL,
  paused_by text,
  CONSTRAINT pipelines_pkey PRIMARY KEY (id),
  CONSTRAINT pipelines_team_id_name_key UNIQUE (team_id, name),
  CONSTRAINT pipelines_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);

CREATE TABLE resource_names (
  resource_id bigint NOT NULL,
  revision integer NOT NULL,
  name text NOT NULL,
  CONSTRAINT resource_names_pkey PRIMARY KEY (resource_id, revision),
  CONSTRAINT resource_names_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id)
);

CREATE TABLE resources (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  scope_id bigint NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  "position" integer NOT NULL,
  webhook_generation integer DEFAULT 1 NOT NULL,
  webhook_hash text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  pinned_version bigint,
  pinned_by text,
  pinned_at timestamp with time zone,
  pin_comment text,
  pin_wanted jsonb,
  stream boolean DEFAULT false NOT NULL,
  webhook_signed boolean DEFAULT false NOT NULL,
  hooks boolean DEFAULT false NOT NULL,
  CONSTRAINT resources_pkey PRIMARY KEY (id),
  CONSTRAINT resources_pipeline_id_name_key UNIQUE (pipeline_id, name),
  CONSTRAINT resources_webhook_hash_key UNIQUE (webhook_hash),
  CONSTRAINT resources_pinned_version_fkey FOREIGN KEY (pinned_version) REFERENCES versions(id),
  CONSTRAINT resources_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  CONSTRAINT resources_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES check_scopes(id)
);
CREATE INDEX resources_by_scope ON public.resources USING btree (scope_id);
CREATE INDEX resources_of_stream ON public.resources USING btree (name) WHERE (stream AND (deleted_at IS NULL));
CREATE INDEX resources_pinned ON public.resources USING btree (pinned_version) WHERE (pinned_version IS NOT NULL);

CREATE TABLE revisions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  pipeline_id bigint NOT NULL,
  number integer NOT NULL,
  digest text NOT NULL,
  config text NOT NULL,
  definition jsonb NOT NULL,
  actor text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT revisions_pkey PRIMARY KEY (id),
  CONSTRAINT revisions_pipeline_id_number_key UNIQUE (pipeline_id, number),
  CONSTRAINT revisions_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id)
);

CREATE TABLE scope_changes (
  resource_id bigint NOT NULL,
  revision integer NOT NULL,
  scope_id bigint NOT NULL,
  CONSTRAINT scope_changes_pkey PRIMARY KEY (resource_id, revision),
  CONSTRAINT scope_changes_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES resources(id),
  CONSTRAINT scope_changes_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES check_scopes(id)
);

CREATE TABLE sign_in_failures (
  key text NOT NULL,
  count integer NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_failures_by_time ON public.sign_in_failures USING btree (last_at);

CREATE TABLE stored_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  team_id bigint NOT NULL,
  pipeline_id bigint,
  name text NOT NULL,
  kind text NOT NULL,
  plain_value text,
  ciphertext bytea,
  wrapped_key bytea,
  key_id text,
  updated_at timestamp with time zone NOT NULL,
  updated_by text NOT NULL,
  CONSTRAINT stored_secrets_pkey PRIMARY KEY (id),
  CONSTRAINT stored_secrets_team_id_pipeline_id_name_key UNIQUE NULLS NOT DISTINCT (team_id, pipeline_id, name),
  CONSTRAINT stored_secrets_check CHECK (
CASE kind
    WHEN 'plain'::text THEN ((plain_value IS NOT NULL) AND (num_nonnulls(ciphertext, wrapped_key, key_id) = 0))
    ELSE ((plain_value IS NULL) AND (num_nulls(ciphertext, wrapped_key, key_id) = 0))
END),
  CONSTRAINT stored_secrets_kind_check CHECK ((kind = ANY (ARRAY['secret'::text, 'plain'::text]))),
  CONSTRAINT stored_secrets_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES pipelines(id),
  CONSTRAINT stored_secrets_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
CREATE INDEX stored_secrets_by_key ON public.stored_secrets USING btree (key_id) WHERE (key_id IS NOT NULL);
CREATE INDEX stored_secrets_by_pipeline ON public.stored_secrets USING btree (pipeline_id) WHERE (pipeline_id IS NOT NULL);

CREATE TABLE team_expected (
  team_id bigint NOT NULL,
  username text NOT NULL,
  role text NOT NULL,
  CONSTRAINT team_expected_pkey PRIMARY KEY (team_id, username),
  CONSTRAINT team_expected_role_check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text, 'maintain'::text, 'admin'::text]))),
  CONSTRAINT team_expected_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
CREATE INDEX team_expected_by_name ON public.team_expected USING btree (username);

CREATE TABLE team_groups (
  team_id bigint NOT NULL,
  claim text NOT NULL,
  role text NOT NULL,
  provider text,
  CONSTRAINT team_groups_pkey PRIMARY KEY (team_id, claim),
  CONSTRAINT team_groups_role_check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text, 'maintain'::text, 'admin'::text]))),
  CONSTRAINT team_groups_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);
CREATE INDEX team_groups_by_claim ON public.team_groups USING btree (claim);

CREATE TABLE team_members (
  team_id bigint NOT NULL,
  user_id bigint NOT NULL,
  role text NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT team_members_pkey PRIMARY KEY (team_id, user_id),
  CONSTRAINT team_members_role_check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text, 'maintain'::text, 'admin'::text]))),
  CONSTRAINT team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  CONSTRAINT team_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX team_members_by_user ON public.team_members USING btree (user_id);

CREATE TABLE teams (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  namespace text NOT NULL,
  display_name text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  running_builds integer,
  members_by_manifest boolean DEFAULT false NOT NULL,
  retention jsonb,
  display_name_by_manifest boolean DEFAULT false NOT NULL,
  groups_by_manifest boolean DEFAULT false NOT NULL,
  by_api boolean DEFAULT false NOT NULL,
  default_timeout_seconds double precision,
  build_log_bytes bigint,
  debug boolean DEFAULT false NOT NULL,
  debug_by_manifest boolean DEFAULT false NOT NULL,
  workers jsonb,
  CONSTRAINT teams_pkey PRIMARY KEY (id),
  CONSTRAINT teams_name_key UNIQUE (name)
);

CREATE TABLE user_sessions (
  id text NOT NULL,
  user_id bigint NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  address text DEFAULT ''::text NOT NULL,
  client text DEFAULT ''::text NOT NULL,
  by_provider boolean DEFAULT false NOT NULL,
  used_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT user_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_by_user ON public.user_sessions USING btree (user_id, opened_at DESC);

CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  username text NOT NULL,
  full_name text DEFAULT ''::text NOT NULL,
  password_hash text,
  must_change_password boolean DEFAULT false NOT NULL,
  global_admin boolean DEFAULT false NOT NULL,
  token_gen integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  disabled boolean DEFAULT false NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_username_key UNIQUE (username)
);
CREATE INDEX users_global_admins ON public.users USING btree (id) WHERE global_admin;

CREATE TABLE versions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  scope_id bigint NOT NULL,
  digest bytea NOT NULL,
  fields jsonb NOT NULL,
  found_at timestamp with time zone NOT NULL,
  build_id bigint,
  disabled boolean DEFAULT false NOT NULL,
  disabled_by text,
  forgotten boolean DEFAULT false NOT NULL,
  place bigint NOT NULL,
  CONSTRAINT versions_pkey PRIMARY KEY (id),
  CONSTRAINT versions_scope_id_digest_key UNIQUE (scope_id, digest),
  CONSTRAINT versions_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES check_scopes(id)
);
CREATE INDEX versions_disabled ON public.versions USING btree (scope_id) WHERE disabled;
CREATE UNIQUE INDEX versions_in_order ON public.versions USING btree (scope_id, place);
CREATE UNIQUE INDEX versions_of_scope ON public.versions USING btree (scope_id, id);
CREATE INDEX versions_remembered ON public.versions USING btree (scope_id, id) WHERE (NOT forgotten);
CREATE INDEX versions_shown ON public.versions USING btree (scope_id, place) WHERE (NOT forgotten);

CREATE TABLE warm_pods (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  team_id bigint NOT NULL,
  namespace text NOT NULL,
  shape text NOT NULL,
  state text DEFAULT 'creating'::text NOT NULL,
  name text,
  pod_uid text,
  key_hash text,
  created_at timestamp with time zone NOT NULL,
  ready_at timestamp with time zone,
  taken_at timestamp with time zone,
  build_id bigint,
  attempt integer,
  failure text,
  CONSTRAINT warm_pods_pkey PRIMARY KEY (id),
  CONSTRAINT warm_pods_key_hash_key UNIQUE (key_hash),
  CONSTRAINT warm_pods_check CHECK (((name IS NULL) = (pod_uid IS NULL))),
  CONSTRAINT warm_pods_check1 CHECK (((state <> 'ready'::text) OR ((pod_uid IS NOT NULL) AND (key_hash IS NOT NULL)))),
  CONSTRAINT warm_pods_check2 CHECK (((state = 'taken'::text) = ((build_id IS NOT NULL) AND (attempt IS NOT NULL)))),
  CONSTRAINT warm_pods_state_check CHECK ((state = ANY (ARRAY['creating'::text, 'ready'::text, 'taken'::text, 'failed'::text]))),
  CONSTRAINT warm_pods_build_id_attempt_fkey FOREIGN KEY (build_id, attempt) REFERENCES build_attempts(build_id, attempt) ON DELETE CASCADE,
  CONSTRAINT warm_pods_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
CREATE INDEX warm_pods_of_build ON public.warm_pods USING btree (build_id, attempt) WHERE (build_id IS NOT NULL);
CREATE INDEX warm_pods_ready ON public.warm_pods USING btree (team_id, shape, id) WHERE (state = 'ready'::text);
