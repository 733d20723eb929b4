-- Pods that wait for a build of their team. A build takes a ready one in one statement, together with the agent's session. Each is taken
-- once. Only a Pod whose uid is recorded here is believed.
CREATE TABLE warm_pods (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id bigint NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  namespace text NOT NULL,
  -- Hash of everything in the Pod that a job decides.
  shape text NOT NULL,
  state text NOT NULL DEFAULT 'creating' CHECK (state IN ('creating', 'ready', 'taken', 'failed')),
  -- Null until the API server has created the Pod.
  name text,
  pod_uid text,
  -- Of the agent's key, once its session is open.
  key_hash text UNIQUE,
  created_at timestamptz NOT NULL,
  -- When its agent listened and its step containers were connected.
  ready_at timestamptz,
  taken_at timestamptz,
  build_id bigint,
  attempt integer,
  -- Why it never became ready. Until the row is removed, no Pod of its shape is created.
  failure text,
  CHECK ((name IS NULL) = (pod_uid IS NULL)),
  CHECK (state <> 'ready' OR (pod_uid IS NOT NULL AND key_hash IS NOT NULL)),
  CHECK ((state = 'taken') = (build_id IS NOT NULL AND attempt IS NOT NULL)),
  FOREIGN KEY (build_id, attempt) REFERENCES build_attempts (build_id, attempt) ON DELETE CASCADE
);
CREATE INDEX warm_pods_ready ON warm_pods (team_id, shape, id) WHERE state = 'ready';
CREATE INDEX warm_pods_of_build ON warm_pods (build_id, attempt) WHERE build_id IS NOT NULL;

-- Null: the name follows from the build. A warm Pod keeps its own.
ALTER TABLE build_attempts ADD COLUMN pod_name text;
