-- A link to an identity provider is begun by a session and ends with it: who signed out everywhere, or changed the password, has no link under
-- way that somebody else could finish. Links of the release before name no session, and are begun again.
ALTER TABLE oauth_flows ADD COLUMN session_id text REFERENCES user_sessions ON DELETE CASCADE;
CREATE INDEX oauth_flows_by_session ON oauth_flows (session_id) WHERE session_id IS NOT NULL;
