import { sql } from 'slonik';
import type { ActionStore } from '#flows/action-ports.ts';
import { findResource } from './find-resource.ts';
import { done, MANAGED, withPipeline } from './lock-pipeline.ts';
import { writeDisabled, writePin, writeUnpin } from './pin-resource.ts';
import { rows, type Database } from './pool.ts';
import { requestSchedule } from './record-versions.ts';

type OfVersions = Pick<ActionStore, 'pin' | 'unpin' | 'disableVersion' | 'enableVersion'>;

/** Pins and disabled versions. */
export function versionsByPeople({ pool }: Database): OfVersions {
  return {
    pin: (name, pin, at) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await findResource(connection, pipeline, { name, version: pin.version });
        if (resource === undefined) return { answer: 'unknown' };
        if (resource.managed) return MANAGED;
        return done(pipeline, await writePin(connection, { resource: resource.id, ...pin }, at));
      }),
    unpin: (name) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await findResource(connection, pipeline, { name });
        if (resource === undefined) return { answer: 'unknown' };
        if (resource.managed) return MANAGED;
        if (resource.pinned) await writeUnpin(connection, resource.id);
        return done(pipeline);
      }),
    disableVersion: (name, { version, by }, at) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await findResource(connection, pipeline, { name, version });
        if (resource === undefined) return { answer: 'unknown' };
        return done(pipeline, await writeDisabled(connection, { resource: resource.id, version, by }, at));
      }),
    enableVersion: (name, version) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const resource = await findResource(connection, pipeline, { name, version });
        if (resource === undefined) return { answer: 'unknown' };
        await connection.query(rows()`
          UPDATE versions SET disabled = false, disabled_by = NULL WHERE id = ${version} AND disabled`);
        // It may trigger now: marks of what is settled go back before it.
        await connection.query(rows()`
          UPDATE job_gets SET settled = least(settled, ${version}::bigint - 1) WHERE resource_id = ${resource.id}`);
        await connection.query(rows()`${requestSchedule(takersOf(resource.id))}`);
        return done(pipeline);
      }),
  };
}

const takersOf = (resource: number) =>
  sql.fragment`SELECT job_id FROM job_gets WHERE resource_id = ${resource}`;
