-- Logins of the command line that wait for a person to confirm them in a browser.
CREATE TABLE cli_logins (
  -- Hash of the secret that only the command line knows. It fetches the session with that secret, once.
  challenge text PRIMARY KEY,
  -- What the person sees in both places.
  code text NOT NULL UNIQUE,
  -- Who asks, for the person to recognise.
  client text NOT NULL,
  address text NOT NULL,
  started_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- The session that confirmed it: if it ends first, so does the login.
  session_id text REFERENCES user_sessions ON DELETE CASCADE
);
CREATE INDEX cli_logins_by_time ON cli_logins (expires_at);
CREATE INDEX cli_logins_by_session ON cli_logins (session_id) WHERE session_id IS NOT NULL;
