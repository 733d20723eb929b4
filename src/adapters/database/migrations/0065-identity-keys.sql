-- Keys that sign identity tokens of builds. Each signs from signs_from until the next one begins.
CREATE TABLE identity_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Thumbprint of the public key: `kid` in tokens.
  kid text NOT NULL UNIQUE,
  -- As verifiers get it: {"kty": "EC", "crv": "P-256", "x": "…", "y": "…", "kid": "…", "alg": "ES256", "use": "sig"}.
  public_key jsonb NOT NULL,
  -- The private key, encrypted like a stored secret.
  ciphertext bytea NOT NULL,
  wrapped_key bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz NOT NULL,
  signs_from timestamptz NOT NULL
);

-- Identity tokens that the attempt got.
ALTER TABLE build_attempts ADD COLUMN identity_tokens integer NOT NULL DEFAULT 0;
