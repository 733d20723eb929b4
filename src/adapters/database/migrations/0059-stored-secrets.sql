-- Values that people store for a team or one of its pipelines. Pipelines read them with secrets of the type store.
CREATE TABLE stored_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id bigint NOT NULL REFERENCES teams,
  -- Null: for all pipelines of the team.
  pipeline_id bigint REFERENCES pipelines,
  name text NOT NULL,
  -- A plain value is readable by members. It never changes.
  kind text NOT NULL CHECK (kind IN ('secret', 'plain')),
  plain_value text,
  -- AES-256-GCM under a key of its own: 12 bytes nonce, ciphertext, 16 bytes tag.
  ciphertext bytea,
  -- That key, encrypted with RSA-OAEP to the public key of the installation that key_id names.
  wrapped_key bytea,
  key_id text,
  updated_at timestamptz NOT NULL,
  updated_by text NOT NULL,
  UNIQUE NULLS NOT DISTINCT (team_id, pipeline_id, name),
  CHECK (CASE kind WHEN 'plain' THEN plain_value IS NOT NULL AND num_nonnulls(ciphertext, wrapped_key, key_id) = 0
    ELSE plain_value IS NULL AND num_nulls(ciphertext, wrapped_key, key_id) = 0 END)
);
CREATE INDEX stored_secrets_by_pipeline ON stored_secrets (pipeline_id) WHERE pipeline_id IS NOT NULL;
CREATE INDEX stored_secrets_by_key ON stored_secrets (key_id) WHERE key_id IS NOT NULL;
