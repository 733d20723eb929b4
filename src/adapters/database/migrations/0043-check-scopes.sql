-- A resource has one history (check scope) for each definition of its type and its params: `resources.scope_id` is the current one.
-- `fingerprint` is null until the pipeline changes for the first time after this migration; the current revision then says what it is.
ALTER TABLE check_scopes ADD COLUMN resource_id bigint REFERENCES resources (id), ADD COLUMN fingerprint text;
UPDATE check_scopes s SET resource_id = r.id FROM resources r WHERE r.scope_id = s.id;
CREATE UNIQUE INDEX check_scopes_of_resource ON check_scopes (resource_id, fingerprint);

-- From which revision on which history was current, for builds of older revisions. No rows: there has been one only.
CREATE TABLE scope_changes (
  resource_id bigint NOT NULL REFERENCES resources (id),
  revision integer NOT NULL,
  scope_id bigint NOT NULL REFERENCES check_scopes (id),
  PRIMARY KEY (resource_id, revision)
);

-- The history that the marks of a get are about; null: written by the release before.
ALTER TABLE job_gets ADD COLUMN scope_id bigint REFERENCES check_scopes (id);
UPDATE job_gets g SET scope_id = r.scope_id FROM resources r WHERE r.id = g.resource_id;

-- Marks about histories that are not current, until they are again.
CREATE TABLE get_marks (
  job_id bigint NOT NULL REFERENCES jobs (id),
  scope_id bigint NOT NULL REFERENCES check_scopes (id),
  gated boolean NOT NULL,
  every boolean NOT NULL,
  dealt_with bigint NOT NULL,
  settled bigint NOT NULL,
  floor bigint NOT NULL,
  PRIMARY KEY (job_id, scope_id)
);
