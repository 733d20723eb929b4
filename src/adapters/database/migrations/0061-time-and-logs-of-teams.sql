-- From the Team's spec: for jobs without a timeout, and the limit of one build's log. NULL: the installation's.
ALTER TABLE teams ADD COLUMN default_timeout_seconds double precision, ADD COLUMN build_log_bytes bigint;
