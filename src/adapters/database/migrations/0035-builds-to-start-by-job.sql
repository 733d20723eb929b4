-- Builds that want a Pod are found job by job, so that 10,000 of one job cost no more than the first ones of it.
CREATE INDEX builds_to_start_of_job ON builds (job_id, id) WHERE wants_pod;
