import { settleBuild, settleSteps } from '#domain/build/settle-build.ts';
import { stateOf } from '#domain/build/stored-state.ts';
import type { BuildTransaction, StoredAttempt } from './build-ports.ts';
import type { AttemptOver, AttemptRef, BuildEnd, BuildStore } from './ports.ts';
import { recordChanges } from './record-changes.ts';

type Builds = Pick<BuildStore, 'withBuild'>;

/** Ends a build by another word than its agent's. `over`: there is nothing to end, or it has no Pod that could end it. */
export async function endBuild(
  { build, attempt }: AttemptRef,
  end: BuildEnd,
  builds: Builds,
): Promise<'ended' | 'over'> {
  return await builds.withBuild(build, { mayDecide: true }, async (tx) => {
    const read = await openAttempt(tx, attempt);
    if (read === undefined) return 'over';
    await recordChanges(tx, read, settleBuild(stateOf(read.state), { ...end, at: end.at.toISOString() }));
    return 'ended';
  });
}

/** The attempt is over without an outcome; the build goes back to pending with the next attempt. */
export async function retryAttempt(
  { build, attempt }: AttemptRef,
  { reason, at, words }: AttemptOver,
  builds: Builds,
): Promise<'retried' | 'over'> {
  return await builds.withBuild(build, { mayDecide: true }, async (tx) => {
    const read = await openAttempt(tx, attempt);
    if (read === undefined) return 'over';
    const steps = settleSteps(stateOf(read.state), at.toISOString(), words);
    const ran = steps.some(({ status }) => status !== 'skipped');
    await tx.retry(read, { reason, at, steps: ran ? steps : [] });
    return 'retried';
  });
}

/** Undefined when the build has ended, another attempt took the place of this one, or it was given no Pod yet. */
async function openAttempt(tx: BuildTransaction, attempt: number): Promise<StoredAttempt | undefined> {
  const read = await tx.attempt(attempt);
  return read?.current === true && read.admitted && !read.ended ? read : undefined;
}
