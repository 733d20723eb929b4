import { sql } from 'slonik';
import { findResource } from '#adapters/database/checks/find-resource.ts';
import { lockJobs } from '#adapters/database/checks/request-schedule.ts';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { ResourceTransaction } from '#flows/builds/action-ports.ts';
import { pinTransaction } from './pin-resource.ts';

/** SQL: ids of the jobs that get the resource of the version. */
const jobsThatGet = (version: number) => sql.fragment`
  SELECT g.job_id FROM versions v JOIN resources r ON r.scope_id = v.scope_id JOIN job_gets g ON g.resource_id = r.id
  WHERE v.id = ${version}`;

/** What people change in a resource through the API: its pin, disabled versions and its webhook. */
export function resourceActions(connection: Transaction, pipeline: number): ResourceTransaction {
  return {
    ...pinTransaction(connection),
    resource: async (name, version) => await findResource(connection, pipeline, { name, version }),
    async disableVersion(version, by) {
      await lockJobs(connection, jobsThatGet(version));
      await connection.query(rows()`
        UPDATE versions SET disabled = true, disabled_by = ${by} WHERE id = ${version} AND NOT disabled`);
    },
    async enableVersion(version, resource) {
      await lockJobs(connection, jobsThatGet(version));
      await connection.query(rows()`
        UPDATE versions SET disabled = false, disabled_by = NULL WHERE id = ${version} AND disabled`);
      // The enabled version may trigger builds, so `settled` moves back before it.
      await connection.query(rows()`
        UPDATE job_gets SET settled = least(settled, ${version}::bigint - 1) WHERE resource_id = ${resource}`);
    },
    async nextWebhook(name, signed) {
      const changed = await connection.maybeOne(rows<{
        resource: number;
        generation: number;
        signed: boolean;
      }>()`
        UPDATE resources SET webhook_generation = webhook_generation + 1,
          webhook_signed = coalesce(${signed ?? null}::boolean, webhook_signed)
        WHERE pipeline_id = ${pipeline} AND name = ${name} AND deleted_at IS NULL
        RETURNING id AS resource, webhook_generation AS generation, webhook_signed AS signed`);
      return changed ?? undefined;
    },
    async saveWebhookHash(resource, hash) {
      await connection.query(rows()`
        UPDATE resources SET webhook_hash = ${hash} WHERE id = ${resource}`);
    },
  };
}
