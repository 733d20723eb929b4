import { afterFailure, afterSuccess, mayRecord, omittedVersions } from '#domain/scheduling/check-timers.ts';
import type { CheckOutcome, CheckStore, CheckTransaction } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'cronNext'>;
  now: () => Date;
}

export interface CheckRecorded {
  /** Row ids of new versions. */
  recorded: number[];
  /** A manual trigger waits for the check. */
  awaited: boolean;
  /** Absent: nothing was recorded, because the resource was removed or another run has the scope by now. */
  pipelineId?: number;
}

/**
 * Records the result of one check. Adds new versions in the order of the check, and requests a decision on
 * the jobs that may take them. Frees the check scope and sets its next due time.
 */
export async function recordCheck(result: CheckOutcome, { checks, now }: Ports): Promise<CheckRecorded> {
  const at = now();
  return await checks.withChecks(async (tx) => {
    const scope = await tx.scopeOfCheck(result.scope, at);
    if (scope === undefined || !mayRecord(scope, result.run)) return { recorded: [], awaited: false };
    const { id, pipeline: pipelineId } = scope;
    const { log, versions } = result;
    if (versions === undefined) {
      const error = result.error ?? 'The check returned nothing.';
      const next = afterFailure(scope, at.getTime(), checks.cronNext);
      await tx.failCheck({ scope: id, error, log, next }, at);
      return { recorded: [], awaited: await tx.wakeTriggers([id]), pipelineId };
    }
    const { added, different } = await tx.addVersions(id, versions, at);
    const atOnce = result.run === undefined;
    const after = afterSuccess(scope, { atOnce, found: added.length, at: at.getTime() }, checks.cronNext);
    const omitted = omittedVersions(result.omitted ?? 0, { added: added.length, different });
    await tx.freeScope({ ...after, scope: id, atOnce, omitted, log }, at);
    return { recorded: added, awaited: await tx.wakeTriggers([id]), pipelineId };
  });
}

/**
 * Closes the run. Check scopes without a result fail with this error and become free. `released`: builds that
 * waited for this run may be created now.
 */
export async function closeRun(
  run: number,
  { checks, now }: Ports,
  error?: string,
): Promise<{ released: boolean }> {
  const at = now();
  const { cronNext } = checks;
  return await checks.withChecks(async (tx) => await closeRunWith(run, tx, { at, error, cronNext }));
}

async function closeRunWith(
  run: number,
  tx: CheckTransaction,
  { at, error, cronNext }: { at: Date; error: string | undefined } & Pick<CheckStore, 'cronNext'>,
): Promise<{ released: boolean }> {
  const openScopes = await tx.scopesOf(run);
  const message = error ?? 'The check ended without a result.';
  // A scope that is not live belongs to a resource that was removed, so its check has not failed.
  for (const scope of openScopes.filter(({ live }) => live)) {
    const next = afterFailure(scope, at.getTime(), cronNext);
    await tx.failCheck({ scope: scope.id, error: message, log: '', next }, at);
  }
  const awaited = await tx.wakeTriggers(openScopes.map(({ id }) => id));
  const { released } = await tx.closeRun(run, error, at);
  return { released: released || awaited };
}
