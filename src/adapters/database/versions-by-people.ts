import { sql } from 'slonik';
import type { ActionStore, Refused, VersionTriggered } from '#flows/action-ports.ts';
import type { ResourceName } from '#flows/ports.ts';
import { done, MANAGED, withPipeline } from './lock-pipeline.ts';
import { writeDisabled, writePin, writeUnpin } from './pin-resource.ts';
import { rows, type Database, type Transaction } from './pool.ts';
import { requestSchedule } from './record-versions.ts';
import { triggerVersion } from './trigger-version.ts';
import { decidedAgain } from './write-decision.ts';

type OfVersions = Pick<ActionStore, 'pin' | 'unpin' | 'disableVersion' | 'enableVersion' | 'triggerVersion'>;

/** Pins, disabled versions, and builds with a certain version. */
export function versionsByPeople({ pool }: Database): OfVersions {
  return {
    pin: (name, pin, at) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await find(connection, pipeline, { name, version: pin.version });
        if (resource === undefined) return { answer: 'unknown' };
        if (resource.managed) return MANAGED;
        return done(pipeline, await writePin(connection, { resource: resource.id, ...pin }, at));
      }),
    unpin: (name) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await find(connection, pipeline, { name });
        if (resource === undefined) return { answer: 'unknown' };
        if (resource.managed) return MANAGED;
        if (resource.pinned) await writeUnpin(connection, resource.id);
        return done(pipeline);
      }),
    disableVersion: (name, { version, by }, at) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await find(connection, pipeline, { name, version });
        if (resource === undefined) return { answer: 'unknown' };
        return done(pipeline, await writeDisabled(connection, { resource: resource.id, version, by }, at));
      }),
    enableVersion: (name, version) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await find(connection, pipeline, { name, version });
        if (resource === undefined) return { answer: 'unknown' };
        await connection.query(rows()`
          UPDATE versions SET disabled = false, disabled_by = NULL WHERE id = ${version} AND disabled`);
        // It may trigger now: marks of what is settled go back before it.
        await connection.query(rows()`
          UPDATE job_gets SET settled = least(settled, ${version}::bigint - 1) WHERE resource_id = ${resource.id}`);
        await connection.query(rows()`${requestSchedule(takersOf(resource.id))}`);
        return done(pipeline);
      }),
    triggerVersion: (name, { version, by }, decide, at) =>
      decidedAgain(() =>
        withPipeline(pool, name, async (connection, pipeline): Promise<VersionTriggered | Refused> => {
          const resource = await find(connection, pipeline, { name, version });
          if (resource === undefined) return { answer: 'unknown' };
          const asked = { resource: resource.id, version, by };
          return { ...done(pipeline), ...(await triggerVersion(connection, { asked, decide, at })) };
        }),
      ),
  };
}

const takersOf = (resource: number) =>
  sql.fragment`SELECT job_id FROM job_gets WHERE resource_id = ${resource}`;

interface Found {
  id: number;
  pinned: boolean;
  managed: boolean;
}

/** Undefined also when the version is not one of the resource. */
async function find(
  connection: Transaction,
  pipeline: number,
  { name, version }: { name: ResourceName; version?: number },
): Promise<Found | undefined> {
  const found = await connection.maybeOne(rows<Found>()`
    SELECT r.id, r.pinned_version IS NOT NULL OR r.pin_wanted IS NOT NULL AS pinned, r.pin_wanted IS NOT NULL AS managed
    FROM resources r WHERE r.pipeline_id = ${pipeline} AND r.name = ${name.resource} AND r.deleted_at IS NULL
      AND (${version ?? null}::bigint IS NULL
        OR EXISTS (SELECT 1 FROM versions v WHERE v.id = ${version ?? null}::bigint AND v.scope_id = r.scope_id AND NOT v.forgotten))`);
  return found ?? undefined;
}
