import { storable, storableFields } from '#domain/build/storable.ts';
import type { CheckOutcome } from '#flows/ports.ts';
import { afterStart, failCheck, type TimerRow } from './check-timers.ts';
import { versionDigest } from './digests.ts';
import { holdEpoch } from './fence.ts';
import { rows, time, type Database, type Transaction } from './pool.ts';
import { addVersions } from './record-versions.ts';

type ScopeRow = TimerRow & {
  run_id: number | null;
  due: boolean;
  requested_cause: 'schedule' | 'manual' | 'webhook' | null;
};

/** A result counts only while its run holds the scope; without a run (built-in cron), only while the check is due. */
export async function recordCheck(
  database: Database,
  result: CheckOutcome,
  at: Date,
): Promise<{ recorded: number[]; pipelineId?: number }> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const scope = await connection.maybeOne(rows<ScopeRow>()`
      SELECT id, pipeline_id, schedule, timer, next_check_at, failures, run_id, requested_cause,
        requested_at IS NOT NULL OR (timer = 'operator' AND next_check_at <= ${time(at)}) AS due
      FROM check_scopes WHERE id = ${result.scope} AND live FOR UPDATE`);
    if (scope === null || !mayRecord(scope, result)) return { recorded: [] };
    if (result.versions === undefined) {
      const error = result.error ?? 'The check returned nothing.';
      await failCheck(connection, scope, { error, log: result.log, at });
      return { recorded: [], pipelineId: scope.pipeline_id };
    }
    const recorded = await addVersions(connection, scope.id, result.versions, { at });
    const cut = cutOf(result.versions, recorded, result.cut);
    await freeScope(connection, scope, { ...result, cut }, at);
    return { recorded, pipelineId: scope.pipeline_id };
  });
}

function mayRecord(scope: ScopeRow, result: CheckOutcome): boolean {
  return result.run === undefined ? scope.run_id === null && scope.due : scope.run_id === result.run;
}

/** Where a check meets what is known, everything older is known too: nothing was missed. */
function cutOf(versions: Record<string, string>[], recorded: number[], cut = 0): number {
  if (cut === 0) return 0;
  const different = new Set(versions.map((fields) => versionDigest(storableFields(fields)).toString('hex')));
  return recorded.length === different.size ? cut : 0;
}

async function freeScope(
  connection: Transaction,
  scope: ScopeRow,
  result: CheckOutcome,
  at: Date,
): Promise<void> {
  const started = result.run === undefined;
  const next = started ? afterStart(scope, scope.requested_cause ?? 'schedule', at) : scope.next_check_at;
  await connection.query(rows()`
    UPDATE check_scopes SET run_id = NULL, failures = 0, last_error = NULL, last_log = ${storable(result.log)},
      last_checked_at = ${time(at)}, cut = ${result.cut ?? 0}, next_check_at = ${next?.toISOString() ?? null},
      requested_at = CASE WHEN ${started} THEN NULL ELSE requested_at END,
      requested_cause = CASE WHEN ${started} THEN NULL ELSE requested_cause END
    WHERE id = ${scope.id}`);
}
