import { sql } from 'slonik';
import type { ActionStore } from '#flows/action-ports.ts';
import { done, MANAGED, withPipeline } from './lock-pipeline.ts';
import { ofPipeline, pauseJobs, unpauseJobs } from './pause-jobs.ts';
import { rows, type Database, type Transaction } from './pool.ts';

type Pauses = Pick<ActionStore, 'pausePipeline' | 'unpausePipeline' | 'pauseJob' | 'unpauseJob'>;

export function pauses({ pool }: Database): Pauses {
  return {
    pausePipeline: (name, by) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        if (await isManaged(connection, pipeline)) return MANAGED;
        await connection.query(rows()`
          UPDATE pipelines SET paused = true, paused_by = ${by} WHERE id = ${pipeline} AND NOT paused`);
        await pauseJobs(connection, ofPipeline(pipeline), by);
        return done(pipeline);
      }),
    unpausePipeline: (name) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        if (await isManaged(connection, pipeline)) return MANAGED;
        await connection.query(rows()`
          UPDATE pipelines SET paused = false, paused_by = NULL WHERE id = ${pipeline} AND paused`);
        await unpauseJobs(connection, ofPipeline(pipeline));
        return done(pipeline);
      }),
    pauseJob: (name, by) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const job = await jobNamed(connection, pipeline, name.job);
        if (job === null) return { answer: 'unknown' };
        await pauseJobs(connection, sql.fragment`j.id = ${job}`, by);
        return done(pipeline);
      }),
    unpauseJob: (name) =>
      withPipeline(pool, name, async (connection, pipeline) => {
        const job = await jobNamed(connection, pipeline, name.job);
        if (job === null) return { answer: 'unknown' };
        await unpauseJobs(connection, sql.fragment`j.id = ${job}`);
        return done(pipeline);
      }),
  };
}

async function isManaged(connection: Transaction, pipeline: number): Promise<boolean> {
  return await connection.oneFirst(rows<{ managed: boolean }>()`
    SELECT paused_by_manifest AS managed FROM pipelines WHERE id = ${pipeline}`);
}

async function jobNamed(connection: Transaction, pipeline: number, name: string): Promise<number | null> {
  return await connection.maybeOneFirst(rows<{ id: number }>()`
    SELECT id FROM jobs WHERE pipeline_id = ${pipeline} AND name = ${name} AND deleted_at IS NULL`);
}
