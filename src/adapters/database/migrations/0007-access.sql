-- Accounts, members of teams, sessions, API tokens, what was tried in vain, and who did what.

CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Never changes; lower case.
  username text NOT NULL UNIQUE,
  full_name text NOT NULL DEFAULT '',
  -- argon2id in its own notation; null: no local password.
  password_hash text,
  must_change_password boolean NOT NULL DEFAULT false,
  global_admin boolean NOT NULL DEFAULT false,
  -- In every session; one that carries another number is over.
  token_gen integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_global_admins ON users (id) WHERE global_admin;

-- The Team object names the members, and the API changes none.
ALTER TABLE teams ADD COLUMN members_by_manifest boolean NOT NULL DEFAULT false;

CREATE TABLE team_members (
  team_id bigint NOT NULL REFERENCES teams,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('read', 'write', 'maintain', 'admin')),
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_by_user ON team_members (user_id);

CREATE TABLE user_sessions (
  id text PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  opened_at timestamptz NOT NULL,
  -- Null: never.
  expires_at timestamptz,
  address text NOT NULL DEFAULT '',
  client text NOT NULL DEFAULT ''
);
CREATE INDEX user_sessions_by_user ON user_sessions (user_id, opened_at DESC);

-- Sign-ins that failed, by account or address; old rows go when new ones come.
CREATE TABLE sign_in_failures (
  key text PRIMARY KEY,
  count integer NOT NULL,
  last_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX sign_in_failures_by_time ON sign_in_failures (last_at);

CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  -- SHA-256 of the token, which itself is nowhere.
  hash bytea NOT NULL UNIQUE,
  -- Its first letters, so that people tell them apart.
  prefix text NOT NULL,
  -- Both null: personal, with all rights of the user.
  team_id bigint REFERENCES teams,
  role text CHECK (role IN ('read', 'write', 'maintain', 'admin')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  CHECK ((team_id IS NULL) = (role IS NULL)),
  UNIQUE (user_id, name)
) WITH (fillfactor = 80);
CREATE INDEX api_tokens_by_team ON api_tokens (team_id, user_id);

-- Only ever added to. Names are text, so that entries outlive what they speak of.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null: of the installation.
  team text,
  actor text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL,
  target text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}',
  at timestamptz NOT NULL
);
CREATE INDEX audit_log_of_team ON audit_log (team, id DESC);
