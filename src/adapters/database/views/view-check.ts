import type { DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { ResourceName } from '#flows/names.ts';
import type { HooksView } from '#flows/views/ports.ts';
import type { CheckViewStore } from '#flows/views/show-check.ts';
import { pipelineId } from './pipeline-id.ts';

interface Row {
  running: boolean;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  error: string | null;
  failures: number;
  output: string;
  schedule: Schedule | null;
  heldSince: Date | null;
  /** Why the check got no Pod. */
  held: string | null;
  webhookWorks: boolean;
  hooks: (Omit<HooksView, 'endedAt'> & { endedAt: string }) | null;
}

export async function storedCheck(
  pool: DatabasePool,
  { resource, ...name }: ResourceName,
): ReturnType<CheckViewStore['storedCheck']> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const found = await pool.maybeOne(rows<Row>()`
    SELECT s.run_id IS NOT NULL AS running, s.last_checked_at AS "lastCheckedAt", s.next_check_at AS "nextCheckAt",
      s.last_error AS error, s.failures, coalesce(s.last_log, '') AS output, s.schedule,
        s.held_since AS "heldSince", s.held_reason AS held,
      s.webhook_works AS "webhookWorks", s.last_hooks AS hooks
    FROM resources r JOIN check_scopes s ON s.id = r.scope_id
    WHERE r.pipeline_id = ${pipeline} AND r.name = ${resource} AND r.deleted_at IS NULL`);
  if (found === null) return undefined;
  const { heldSince, hooks, ...row } = found;
  return {
    // A check that got no Pod has been due since `heldSince`, although its timer has moved on.
    ...withoutNulls({ ...row, dueSince: heldSince ?? row.nextCheckAt }),
    ...(hooks === null ? {} : { hooks: { ...hooks, endedAt: new Date(hooks.endedAt) } }),
  };
}
