-- What a type of another system tells about the version of a get or put: a list of names and values.
ALTER TABLE build_steps ADD COLUMN metadata jsonb;
