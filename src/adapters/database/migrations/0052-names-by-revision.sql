-- Names of jobs and resources that were renamed, each from a revision on: definitions of older revisions know them by the name before.
CREATE TABLE job_names (
  job_id bigint NOT NULL REFERENCES jobs,
  revision integer NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (job_id, revision));
CREATE TABLE resource_names (
  resource_id bigint NOT NULL REFERENCES resources,
  revision integer NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (resource_id, revision));
