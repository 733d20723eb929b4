-- The team allows shells in the running steps of its builds.
ALTER TABLE teams ADD COLUMN debug boolean NOT NULL DEFAULT false, ADD COLUMN debug_by_manifest boolean NOT NULL DEFAULT false;

-- Shells of people in running steps, while they last. The audit log keeps who opened which.
CREATE TABLE debug_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  build_id bigint NOT NULL,
  attempt integer NOT NULL,
  -- Id of the step in the plan, and its name.
  step text NOT NULL,
  step_name text NOT NULL,
  -- As the audit log names the build: its team, and <pipeline>/<job>/<number>.
  team text NOT NULL,
  target text NOT NULL,
  opened_by text NOT NULL,
  -- A list of words. Empty: a shell.
  command jsonb NOT NULL,
  -- Null: no terminal.
  columns integer,
  rows integer,
  state text NOT NULL DEFAULT 'opening' CHECK (state IN ('opening', 'open', 'ended')),
  opened_at timestamptz NOT NULL,
  -- When the last input came, and when the person's stream last read.
  input_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  -- Numbers of the last input and output that were stored.
  last_input integer NOT NULL DEFAULT 0,
  last_output integer NOT NULL DEFAULT 0,
  -- Why it ended.
  ended jsonb,
  CHECK ((state = 'ended') = (ended IS NOT NULL)),
  CHECK ((columns IS NULL) = (rows IS NULL)),
  FOREIGN KEY (build_id, attempt) REFERENCES build_attempts (build_id, attempt) ON DELETE CASCADE
);
CREATE INDEX debug_sessions_of_build ON debug_sessions (build_id, attempt);

-- What the other side has not received yet: JSON of an input, output in base64.
CREATE TABLE debug_messages (
  session_id bigint NOT NULL REFERENCES debug_sessions ON DELETE CASCADE,
  direction text NOT NULL CHECK (direction IN ('input', 'output')),
  sequence integer NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (session_id, direction, sequence)
);
