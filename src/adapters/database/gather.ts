import { sql, type FragmentSqlToken } from 'slonik';
import { MOST_GOOD, MOST_UNUSED, type InputFacts, type JobFacts } from '#domain/scheduling/snapshot.ts';
import { prepared, type Transaction } from './pool.ts';

/** A job's facts, and what the store needs to write what is decided on them. */
export interface GatheredJob {
  facts: JobFacts;
  team: string;
  pipeline: string;
  revision: number;
  nextNumber: number;
  requested: number;
  /** By position of the job's gets. */
  resources: number[];
}

interface Row {
  id: number;
  name: string;
  team: string;
  pipeline: string;
  revision: number;
  next_number: number;
  requested: number;
  paused: boolean;
  active: boolean;
  requests: JobFacts['requests'] | null;
  inputs: InputRow[] | null;
}

interface InputRow {
  name: string;
  resource: string;
  resourceId: number;
  trigger: boolean;
  passed: string[];
  dealtWith: number;
  latest: number | null;
  unused: number[];
  good: InputFacts['good'] | null;
  lastUsed: number | null;
}

/** Jobs of a pipeline that wait for a decision. The caller holds the pipeline's lock. */
export async function gatherWaiting(connection: Transaction, pipeline: number): Promise<GatheredJob[]> {
  return await gather(connection, 'gather_waiting', {
    where: sql.fragment`j.pipeline_id = ${pipeline} AND j.schedule_requested > j.last_scheduled`,
  });
}

export async function gatherJob(connection: Transaction, job: number): Promise<GatheredJob | undefined> {
  return (await gather(connection, 'gather_job', { where: sql.fragment`j.id = ${job}` }))[0];
}

/** Each part is answered from one end of an index, so the cost does not grow with history. */
async function gather(
  connection: Transaction,
  name: string,
  { where }: { where: FragmentSqlToken },
): Promise<GatheredJob[]> {
  const found = await connection.any(prepared<Row>(name)`
    SELECT j.id, j.name, t.name AS team, p.name AS pipeline, v.id AS revision, j.next_number,
      j.schedule_requested AS requested, p.paused OR j.paused AS paused,
      EXISTS (SELECT 1 FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL) AS active,
      (SELECT jsonb_agg(jsonb_build_object('id', m.id, 'by', m.requested_by) ORDER BY m.id)
        FROM job_triggers m WHERE m.job_id = j.id AND m.build_id IS NULL AND m.refused IS NULL) AS requests,
      (SELECT jsonb_agg(jsonb_build_object(
          'name', g.name, 'resource', r.name, 'resourceId', r.id, 'trigger', g.trigger, 'dealtWith', g.dealt_with,
          'passed', ARRAY(SELECT u.name FROM jobs u WHERE u.id = ANY(g.passed) ORDER BY u.position),
          'latest', (SELECT id FROM versions WHERE scope_id = r.scope_id ORDER BY id DESC LIMIT 1),
          'unused', CASE WHEN g.trigger AND g.passed = '{}' THEN ARRAY(
            SELECT id FROM versions WHERE scope_id = r.scope_id AND id > g.dealt_with
            ORDER BY id LIMIT ${MOST_UNUSED + 1}) ELSE '{}' END,
          'good', CASE WHEN g.passed <> '{}' THEN (
            SELECT jsonb_agg(jsonb_build_object('job', u.name, 'versions', ARRAY(
              SELECT DISTINCT version_id FROM good_versions
              WHERE job_id = u.id AND resource_id = r.id ORDER BY version_id DESC LIMIT ${MOST_GOOD})))
            FROM jobs u WHERE u.id = ANY(g.passed)) END,
          'lastUsed', CASE WHEN g.trigger AND g.passed <> '{}' THEN (
            SELECT version_id FROM build_inputs WHERE job_id = j.id AND resource_id = r.id
            ORDER BY version_id DESC LIMIT 1) END) ORDER BY g.position)
        FROM job_gets g JOIN resources r ON r.id = g.resource_id WHERE g.job_id = j.id) AS inputs
    FROM jobs j
    JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
    JOIN teams t ON t.id = p.team_id
    JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
    WHERE j.deleted_at IS NULL AND ${where}`);
  return found.map(toGathered);
}

function toGathered(row: Row): GatheredJob {
  const inputs = row.inputs ?? [];
  return {
    facts: {
      id: row.id,
      name: row.name,
      paused: row.paused,
      active: row.active,
      gets: inputs.map(({ name, resource, trigger, passed }) => ({
        kind: 'get',
        name,
        resource,
        trigger,
        passed,
      })),
      inputs: inputs.map(({ latest, dealtWith, unused, good, lastUsed }) => ({
        dealtWith,
        unused,
        good: good ?? [],
        ...(latest === null ? {} : { latest }),
        ...(lastUsed === null ? {} : { lastUsed }),
      })),
      requests: row.requests ?? [],
    },
    team: row.team,
    pipeline: row.pipeline,
    revision: row.revision,
    nextNumber: row.next_number,
    requested: row.requested,
    resources: inputs.map((input) => input.resourceId),
  };
}
