import { sql } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { PauseTransaction } from '#flows/builds/action-ports.ts';
import { ofPipeline, pauseJobs, unpauseJobs } from './pause-jobs.ts';

export function pauseActions(connection: Transaction, pipeline: number): PauseTransaction {
  return {
    pausedByManifest: async () =>
      await connection.oneFirst(rows<{ managed: boolean }>()`
        SELECT paused_by_manifest AS managed FROM pipelines WHERE id = ${pipeline}`),
    async pausePipeline(by) {
      await connection.query(rows()`
        UPDATE pipelines SET paused = true, paused_by = ${by} WHERE id = ${pipeline} AND NOT paused`);
      await pauseJobs(connection, ofPipeline(pipeline), by);
    },
    async unpausePipeline() {
      await connection.query(rows()`
        UPDATE pipelines SET paused = false, paused_by = NULL WHERE id = ${pipeline} AND paused`);
      await unpauseJobs(connection, ofPipeline(pipeline));
    },
    async job(name) {
      const id = await connection.maybeOneFirst(rows<{ id: number }>()`
        SELECT id FROM jobs WHERE pipeline_id = ${pipeline} AND name = ${name} AND deleted_at IS NULL`);
      return id ?? undefined;
    },
    async pauseJob(job, by) {
      await pauseJobs(connection, sql.fragment`j.id = ${job}`, by);
    },
    async unpauseJob(job) {
      await unpauseJobs(connection, sql.fragment`j.id = ${job}`);
    },
  };
}
