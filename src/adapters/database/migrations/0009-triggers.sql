-- Resources of the built-in type `trigger` share a stream with those of the same name in the team: each has its versions, a put makes all.
ALTER TABLE resources ADD COLUMN stream boolean NOT NULL DEFAULT false;
CREATE INDEX resources_of_stream ON resources (name) WHERE stream AND deleted_at IS NULL;
