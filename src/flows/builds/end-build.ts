import { settleBuild, settleSteps } from '#domain/build/settle-build.ts';
import { stateOf } from '#domain/build/stored-state.ts';
import type { BuildTransaction, StoredAttempt } from './build-transaction.ts';
import type { AttemptEnd, AttemptRef, BuildEnd, BuildStore } from './ports.ts';
import { recordChanges } from './record-changes.ts';

type Builds = Pick<BuildStore, 'withBuild'>;

/**
 * Ends a build whose agent did not report the end. `over`: nothing changed, because the build had ended, had
 * a newer attempt, or had not had its turn.
 */
export async function endBuild(
  { build, attempt }: AttemptRef,
  end: BuildEnd,
  builds: Builds,
): Promise<'ended' | 'over'> {
  return await builds.withBuild(build, { mayDecide: true }, async (tx) => {
    const stored = await openAttempt(tx, attempt);
    if (stored === undefined) return 'over';
    const settled = settleBuild(stateOf(stored.state), { ...end, at: end.at.toISOString() });
    await recordChanges(tx, stored, settled, { byAgent: false });
    return 'ended';
  });
}

/** Ends the attempt without an outcome. The build becomes pending again, with the next attempt. */
export async function retryAttempt(
  { build, attempt }: AttemptRef,
  { reason, at, termination }: AttemptEnd,
  builds: Builds,
): Promise<'retried' | 'over'> {
  return await builds.withBuild(build, { mayDecide: true }, async (tx) => {
    const stored = await openAttempt(tx, attempt);
    if (stored === undefined) return 'over';
    const steps = settleSteps(stateOf(stored.state), at.toISOString(), termination);
    const anyRan = steps.some(({ status }) => status !== 'skipped');
    await tx.retry(stored, { reason, at, steps: anyRan ? steps : [] });
    return 'retried';
  });
}

/** Undefined if the build has ended, has a newer attempt, or has not had its turn. */
async function openAttempt(tx: BuildTransaction, attempt: number): Promise<StoredAttempt | undefined> {
  const stored = await tx.attempt(attempt);
  return stored?.current === true && stored.hadTurn && !stored.ended ? stored : undefined;
}
