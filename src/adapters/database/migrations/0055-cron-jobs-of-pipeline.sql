-- At most ten check groups of a pipeline have a running CronJob; the operator times the others. The order is that of the file, as in
-- check-groups.ts. They are due at once, and then at their times.
WITH groups AS (
  SELECT s.pipeline_id, s.check_group, min(r.position) AS first FROM check_scopes s
  JOIN resources r ON r.scope_id = s.id AND r.deleted_at IS NULL
  WHERE s.live AND s.timer = 'cronjob' GROUP BY 1, 2),
ranked AS (SELECT *, row_number() OVER (PARTITION BY pipeline_id ORDER BY first) AS place FROM groups)
UPDATE check_scopes s SET timer = 'operator', next_check_at = coalesce(s.next_check_at, now())
FROM ranked g
WHERE g.place > 10 AND s.pipeline_id = g.pipeline_id AND s.check_group = g.check_group AND s.live AND s.timer = 'cronjob';
