import { findResource } from '#adapters/database/checks/find-resource.ts';
import { lockPipeline } from '#adapters/database/connection/lock-pipeline.ts';
import { ids, rows, timestamp, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { CascadeGet } from '#domain/scheduling/cascade.ts';
import type { VersionTransaction } from '#flows/builds/trigger-ports.ts';
import type { ResourceName } from '#flows/names.ts';
import { gatherJobs } from './gather.ts';
import { decisionTransaction } from './schedule.ts';
import { repeatDecision } from './write-decision.ts';

interface VersionRequest {
  version: number;
  by: string;
  at: Date;
}

export async function withVersionRequests<T>(
  { pool }: Database,
  { name, request }: { name: ResourceName; request: VersionRequest },
  work: (tx: VersionTransaction) => Promise<T>,
): Promise<T | undefined> {
  return await repeatDecision(
    async () =>
      await pool.transaction(async (connection) => {
        const pipelineId = await lockPipeline(connection, name);
        if (pipelineId === undefined) return undefined;
        const resource = await findResource(connection, pipelineId, {
          name: name.resource,
          version: request.version,
        });
        if (resource === undefined) return undefined;
        const requested = { ...request, resource: resource.id };
        const requests = await requestDirectJobs(connection, requested);
        return await work(versionTransaction(connection, requested, { pipelineId, requests }));
      }),
  );
}

type RequestOfVersion = VersionRequest & { resource: number };

/**
 * Requests a build of each job that gets the resource without `passed`. The caller holds the pipeline's lock.
 */
async function requestDirectJobs(
  connection: Transaction,
  { resource, version, by, at }: RequestOfVersion,
): Promise<VersionTransaction['requests']> {
  return await connection.any(rows<{ job: number; request: number }>()`
    -- Materialized, so that all jobs share a cascade: Postgres may run a plain subquery once per job.
    WITH c AS MATERIALIZED (SELECT nextval('job_trigger_cascades') AS cascade)
    INSERT INTO job_triggers (job_id, requested_by, requested_at, resource_id, version_id, cascade)
    SELECT DISTINCT g.job_id, ${by}, ${timestamp(at)}, g.resource_id, ${version}::bigint, c.cascade
    FROM c CROSS JOIN job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL
    WHERE g.resource_id = ${resource} AND g.passed = '{}'
    RETURNING job_id AS job, id AS request`);
}

function versionTransaction(
  connection: Transaction,
  { resource, version, by, at }: RequestOfVersion,
  { pipelineId, requests }: Pick<VersionTransaction, 'pipelineId' | 'requests'>,
): VersionTransaction {
  const jobs = requests.map(({ job }) => job);
  return {
    ...decisionTransaction(connection, async () => await gatherJobs(connection, jobs)),
    pipelineId,
    requests,
    gets: async () =>
      await connection.any(rows<CascadeGet>()`
    SELECT g.job_id AS job, g.trigger, to_jsonb(g.passed) AS passed
    FROM job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL WHERE g.resource_id = ${resource}`),
    requestFollowing: async (following) => {
      await connection.query(rows()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, resource_id, version_id, cascade, follows)
    SELECT n.job, ${by}, ${timestamp(at)}, ${resource}::bigint, ${version}::bigint, m.cascade, true
    FROM unnest(${ids(following)}) AS n (job), job_triggers m WHERE m.id = ${requests[0]?.request ?? 0}`);
    },
  };
}
