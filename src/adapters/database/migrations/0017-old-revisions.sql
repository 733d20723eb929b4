-- Whether a revision is still needed: retention asks for it, and so does the database before a revision goes.
CREATE INDEX builds_of_revision ON builds (revision_id);
CREATE INDEX check_runs_of_revision ON check_runs (revision_id);
