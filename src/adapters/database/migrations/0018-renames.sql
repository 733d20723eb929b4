-- Who asked for another name for a pipeline, by the uid of the object that has the name it had. The object of the new name carries `key`, which
-- stands nowhere else; with `moved_at` the row of the pipeline has the new name, and what the object of that uid says counts no more.
CREATE TABLE pipeline_renames (
  uid text PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines (id),
  key text NOT NULL,
  from_name text NOT NULL,
  to_name text NOT NULL,
  asked_by text NOT NULL,
  asked_at timestamptz NOT NULL,
  moved_at timestamptz
);
