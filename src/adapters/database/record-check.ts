import { sql } from 'slonik';
import { storable, storableFields } from '#domain/build/storable.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { scheduleNow, webhookWorks } from '#domain/scheduling/webhook-pace.ts';
import type { CheckCause, CheckOutcome } from '#flows/check-ports.ts';
import { afterStart, failCheck, RUN_ENDED, type TimerRow } from './check-timers.ts';
import { versionDigest } from './digests.ts';
import { holdEpoch } from './fence.ts';
import { rows, time, type Database, type Transaction } from './pool.ts';
import { addVersions } from './record-versions.ts';
import { wakeTriggers } from './trigger-checks.ts';

type ScopeRow = TimerRow & {
  run_id: number | null;
  due: boolean;
  requested_cause: CheckCause | null;
  run_cause: CheckCause | null;
  usual_schedule: Schedule | null;
  webhook_schedule: Schedule | null;
  webhook_works: boolean;
};

/** A result counts only while its run holds the scope; without a run (built-in cron), only while the check is due. */
export async function recordCheck(
  database: Database,
  result: CheckOutcome,
  at: Date,
): Promise<{ recorded: number[]; awaited: boolean; pipelineId?: number }> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const scope = await connection.maybeOne(rows<ScopeRow>()`
      SELECT id, pipeline_id, schedule, timer, next_check_at, failures, run_id, requested_cause, run_cause,
        usual_schedule, webhook_schedule, webhook_works,
        requested_at IS NOT NULL OR (timer = 'operator' AND next_check_at <= ${time(at)}) AS due
      FROM check_scopes s WHERE id = ${result.scope} AND (live OR ${isFormer}) FOR UPDATE`);
    if (scope === null || !mayRecord(scope, result)) return { recorded: [], awaited: false };
    if (result.versions === undefined) {
      const error = result.error ?? 'The check returned nothing.';
      await failCheck(connection, scope, { error, log: result.log, at });
      return {
        recorded: [],
        awaited: await wakeTriggers(connection, [scope.id]),
        pipelineId: scope.pipeline_id,
      };
    }
    const recorded = await addVersions(connection, scope.id, result.versions, { at });
    const cut = cutOf(result.versions, recorded, result.cut);
    await freeScope(connection, scope, { ...result, cut, found: recorded.length }, at);
    return { recorded, awaited: await wakeTriggers(connection, [scope.id]), pipelineId: scope.pipeline_id };
  });
}

/** The resource is there and has another history now: what this check finds is of the former one, and triggers nothing. */
const isFormer = sql.fragment`EXISTS (
  SELECT 1 FROM resources r WHERE r.id = s.resource_id AND r.scope_id <> s.id AND r.deleted_at IS NULL)`;

function mayRecord(scope: ScopeRow, result: CheckOutcome): boolean {
  return result.run === undefined ? scope.run_id === null && scope.due : scope.run_id === result.run;
}

/** Where a check meets what is known, everything older is known too: nothing was missed. */
function cutOf(versions: Record<string, string>[], recorded: number[], cut = 0): number {
  if (cut === 0) return 0;
  const different = new Set(versions.map((fields) => versionDigest(storableFields(fields)).toString('hex')));
  return recorded.length === different.size ? cut : 0;
}

/** The schedule in force. Without one of its own for webhooks nothing changes. */
function paceOf({ usual_schedule, webhook_schedule, schedule }: ScopeRow, works: boolean): Schedule | null {
  if (webhook_schedule === null) return schedule;
  const usual = usual_schedule === null ? {} : { schedule: usual_schedule };
  return scheduleNow({ ...usual, webhookSchedule: webhook_schedule }, works) ?? null;
}

async function freeScope(
  connection: Transaction,
  scope: ScopeRow,
  result: CheckOutcome & { found: number },
  at: Date,
): Promise<void> {
  const started = result.run === undefined;
  const cause = (started ? scope.requested_cause : scope.run_cause) ?? 'schedule';
  const works = webhookWorks(scope.webhook_works, { cause, found: result.found });
  const pace = paceOf(scope, works);
  const planned = started ? afterStart(scope, cause, at) : scope.next_check_at;
  // Another pace counts from now, as after a request.
  const next =
    works === scope.webhook_works ? planned : afterStart({ ...scope, schedule: pace }, 'webhook', at);
  await connection.query(rows()`
    UPDATE check_scopes SET ${RUN_ENDED}, webhook_works = ${works}, schedule = ${pace === null ? null : JSON.stringify(pace)}::jsonb,
      held_since = NULL, held_reason = NULL, failures = 0, last_error = NULL, last_log = ${storable(result.log)},
      last_checked_at = ${time(at)}, cut = ${result.cut ?? 0}, next_check_at = ${next?.toISOString() ?? null},
      requested_at = CASE WHEN ${started} THEN NULL ELSE requested_at END,
      requested_cause = CASE WHEN ${started} THEN NULL ELSE requested_cause END
    WHERE id = ${scope.id}`);
}
