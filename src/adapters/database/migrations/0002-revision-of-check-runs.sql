-- A run is planned from the revision under which it was opened. Null: opened by the release before.

ALTER TABLE check_runs ADD COLUMN revision_id bigint REFERENCES revisions;
