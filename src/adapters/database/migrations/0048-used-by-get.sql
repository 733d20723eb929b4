-- Which get of its resource this is in the job, counted from 0: two gets of one resource use versions apart. The default is right for every
-- job that gets each resource once, and for replicas of the release before.
ALTER TABLE job_gets ADD COLUMN nth smallint NOT NULL DEFAULT 0;
ALTER TABLE build_inputs ADD COLUMN nth smallint NOT NULL DEFAULT 0;
UPDATE job_gets g SET nth = n.nth
  FROM (SELECT job_id, position, row_number() OVER (PARTITION BY job_id, resource_id ORDER BY position) - 1 AS nth FROM job_gets) AS n
  WHERE g.job_id = n.job_id AND g.position = n.position AND n.nth > 0;
UPDATE build_inputs i SET nth = n.nth
  FROM (SELECT build_id, position, row_number() OVER (PARTITION BY build_id, resource_id ORDER BY position) - 1 AS nth FROM build_inputs
    WHERE job_id IN (SELECT job_id FROM job_gets WHERE nth > 0)) AS n
  WHERE i.build_id = n.build_id AND i.position = n.position AND n.nth > 0;
