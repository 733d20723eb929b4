-- When a session was last used, to the minute: people see it, and one that idles too long is over. The default is for replicas of the
-- release before, which open sessions while they are replaced.
ALTER TABLE user_sessions ADD COLUMN used_at timestamptz NOT NULL DEFAULT now();
