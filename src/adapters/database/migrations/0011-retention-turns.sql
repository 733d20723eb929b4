-- What is new has nothing to be removed: its first turn comes after a while, not in the moment in which a thousand pipelines are applied.
ALTER TABLE jobs ALTER COLUMN retained_at SET DEFAULT now();
ALTER TABLE check_scopes ALTER COLUMN retained_at SET DEFAULT now();
