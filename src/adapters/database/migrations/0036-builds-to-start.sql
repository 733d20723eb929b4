-- builds_to_start_of_job serves every query that this index did. While both exist, Postgres may walk through all builds in the order of
-- their ids to find the few of one job.
DROP INDEX builds_to_start;
