import { followingJobs, type CascadeGet } from '#domain/scheduling/cascade.ts';
import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import type { Done, VersionTriggered } from '#flows/action-ports.ts';
import { decideWithPages } from './gather-pages.ts';
import { gatherJobs, type Gathered } from './gather.ts';
import { ids, rows, time, type Transaction } from './pool.ts';
import { withoutId } from './schedule.ts';
import { writeDecision } from './write-decision.ts';

interface VersionAsked {
  asked: { resource: number; version: number; by: string };
  decide: (facts: Facts) => Decision;
  at: Date;
}

type Triggered = Omit<VersionTriggered, Exclude<keyof Done, 'stopped'>>;

/** A request of each job that gets the resource without `passed`, and the decision on them. The caller holds the pipeline's lock. */
export async function triggerVersion(
  connection: Transaction,
  { asked, decide, at }: VersionAsked,
): Promise<Triggered> {
  const { resource, version, by } = asked;
  const requests = await connection.any(rows<{ job: number; request: number }>()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, resource_id, version_id, cascade)
    SELECT DISTINCT g.job_id, ${by}, ${time(at)}, g.resource_id, ${version}::bigint, c.cascade
    FROM (SELECT nextval('job_trigger_cascades') AS cascade) AS c CROSS JOIN job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL
    WHERE g.resource_id = ${resource} AND g.passed = '{}'
    RETURNING job_id AS job, id AS request`);
  await askFollowing(connection, asked, { requests: requests.map(({ request }) => request), at });
  const jobOf = new Map(requests.map(({ job, request }) => [request, job]));
  const gathered = await gatherJobs(connection, [...jobOf.values()]);
  const decision = await decideWithPages(connection, gathered, decide);
  const { made, interrupted } = await writeDecision(connection, gathered.jobs, decision, at);
  return {
    stopped: interrupted,
    builds: made.filter(({ request }) => request !== undefined && jobOf.has(request)).map(withoutId),
    refused: decision.refused.flatMap(({ request, reasons }) => {
      const job = jobOf.get(request);
      return job === undefined ? [] : { job: nameOf(gathered, job), reasons };
    }),
  };
}

/** Requests of the jobs that the version goes on to through `passed`: they wait for builds of this trigger. */
async function askFollowing(
  connection: Transaction,
  { resource, version, by }: VersionAsked['asked'],
  { requests, at }: { requests: number[]; at: Date },
): Promise<void> {
  if (requests.length === 0) return;
  const gets = await connection.any(rows<CascadeGet>()`
    SELECT g.job_id AS job, g.trigger, to_jsonb(g.passed) AS passed
    FROM job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL WHERE g.resource_id = ${resource}`);
  const direct = new Set(gets.filter(({ passed }) => passed.length === 0).map(({ job }) => job));
  const following = followingJobs(gets, [...direct]);
  await connection.query(rows()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, resource_id, version_id, cascade, follows)
    SELECT n.job, ${by}, ${time(at)}, ${resource}::bigint, ${version}::bigint, m.cascade, true
    FROM unnest(${ids(following)}) AS n (job), job_triggers m WHERE m.id = ${requests[0] ?? 0}`);
}

function nameOf({ jobs }: Gathered, id: number): string {
  return jobs.find(({ facts }) => facts.id === id)?.facts.name ?? '';
}
