-- What the log of an attempt takes in the database: its rows as they are stored, compressed, and 150 bytes for each row. Of all logs that
-- exist it is counted here once. A row of the release before, while both run, is not counted.
ALTER TABLE build_attempts ADD COLUMN stored_log_bytes bigint NOT NULL DEFAULT 0;
UPDATE build_attempts a SET stored_log_bytes = l.bytes
FROM (
  SELECT build_id, attempt, sum(octet_length(content)) + 150 * count(*) AS bytes FROM build_logs GROUP BY build_id, attempt) AS l
WHERE l.build_id = a.build_id AND l.attempt = a.attempt;
CREATE INDEX build_attempts_with_log ON build_attempts (build_id) INCLUDE (stored_log_bytes) WHERE stored_log_bytes > 0;
