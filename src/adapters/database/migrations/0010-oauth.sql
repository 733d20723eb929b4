-- Signing in by identity providers: what the OAuthProvider objects say, who is linked, and flows that are under way.

CREATE TABLE oauth_providers (
  -- Of the OAuthProvider object.
  canonical text PRIMARY KEY,
  display_name text,
  type text NOT NULL CHECK (type IN ('OIDC', 'OAuth2')),
  client_id text NOT NULL,
  -- Under which name the client's secret is found; the secret itself is in no table.
  secret_key text NOT NULL,
  issuer_url text,
  auth_url text,
  token_url text,
  user_info_url text,
  scopes jsonb,
  username_claim text,
  enabled boolean NOT NULL,
  -- Whose subjects its answers name.
  issuer text NOT NULL
);

CREATE TABLE oauth_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Through which it was linked.
  provider text NOT NULL,
  linked_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX oauth_identities_by_user ON oauth_identities (user_id);
CREATE INDEX oauth_identities_by_provider ON oauth_identities (provider);

-- Each answers once, in the browser that began it, on any replica.
CREATE TABLE oauth_flows (
  state_hash text PRIMARY KEY,
  provider text NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  browser_hash text NOT NULL,
  -- To whose account the identity is to be linked; null: to sign in.
  user_id bigint REFERENCES users ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_flows_by_time ON oauth_flows (expires_at);

-- Identities that wait for a name.
CREATE TABLE oauth_profiles (
  token_hash text PRIMARY KEY,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  browser_hash text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_profiles_by_time ON oauth_profiles (expires_at);

CREATE TABLE auth_settings (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- People may sign in by password.
  local boolean NOT NULL DEFAULT true
);
INSERT INTO auth_settings DEFAULT VALUES;

-- Whoever came by a provider is not asked for a new password first: they may not know the one before.
ALTER TABLE user_sessions ADD COLUMN by_provider boolean NOT NULL DEFAULT false;
