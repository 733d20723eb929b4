-- The place of a version among the versions of its scope: larger is newer. It is the version's id until a later check prints the version
-- in another order. `good_versions` repeats scope and place, so that an index has the newest versions that passed a job.
ALTER TABLE versions ADD COLUMN place bigint;
UPDATE versions SET place = id;
ALTER TABLE versions ALTER COLUMN place SET NOT NULL;
CREATE UNIQUE INDEX versions_in_order ON versions (scope_id, place);
CREATE INDEX versions_shown ON versions (scope_id, place) WHERE NOT forgotten;

CREATE FUNCTION place_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.place := NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER place_version BEFORE INSERT ON versions FOR EACH ROW WHEN (NEW.place IS NULL) EXECUTE FUNCTION place_version();
ALTER TABLE versions ENABLE ALWAYS TRIGGER place_version;

ALTER TABLE good_versions ADD COLUMN scope_id bigint, ADD COLUMN place bigint;
UPDATE good_versions g SET scope_id = v.scope_id, place = v.place FROM versions v WHERE v.id = g.version_id;
ALTER TABLE good_versions ALTER COLUMN scope_id SET NOT NULL, ALTER COLUMN place SET NOT NULL;
CREATE INDEX good_versions_in_order ON good_versions (job_id, scope_id, place, build_id);

-- For the release before, which knows neither column.
CREATE FUNCTION place_good_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT v.scope_id, v.place INTO NEW.scope_id, NEW.place FROM versions v WHERE v.id = NEW.version_id;
  RETURN NEW;
END $$;
CREATE TRIGGER place_good_version BEFORE INSERT ON good_versions FOR EACH ROW WHEN (NEW.place IS NULL)
  EXECUTE FUNCTION place_good_version();
ALTER TABLE good_versions ENABLE ALWAYS TRIGGER place_good_version;

-- A place: of the versions that came while the resource was pinned, older ones trigger nothing.
ALTER TABLE job_gets ADD COLUMN floor bigint NOT NULL DEFAULT 0;
