import { sql, type FragmentSqlToken } from 'slonik';

/** SQL: the name of job `j` in the revision with this row id. */
export const jobNameIn = (revision: FragmentSqlToken): FragmentSqlToken => sql.fragment`coalesce((
  SELECT n.name FROM job_names n WHERE n.job_id = j.id
    AND n.revision <= (SELECT number FROM revisions WHERE id = ${revision})
  ORDER BY n.revision DESC LIMIT 1), j.name)`;

/** SQL: the name of resource `r` in the revision with this row id. */
export const resourceNameIn = (revision: FragmentSqlToken): FragmentSqlToken => sql.fragment`coalesce((
  SELECT n.name FROM resource_names n WHERE n.resource_id = r.id
    AND n.revision <= (SELECT number FROM revisions WHERE id = ${revision})
  ORDER BY n.revision DESC LIMIT 1), r.name)`;
