import type { BuildTransaction, StoredAttempt } from '#flows/builds/build-transaction.ts';
import type { BuildStore } from '#flows/builds/ports.ts';

/** A store of builds where every attempt exists, is open and has started no step. */
export function openBuilds(
  writes: Pick<BuildTransaction, 'record' | 'retry'>,
): Pick<BuildStore, 'withBuild'> {
  return {
    withBuild: async (build, _what, work) =>
      await work({ ...writes, attempt: async (attempt) => openAttempt(build, attempt) }),
  };
}

/** The current attempt of a build whose Pod exists. */
export function openAttempt(build: number, attempt: number): StoredAttempt {
  return {
    build,
    attempt,
    state: { status: 'pending', applied: 0, logBytes: 0, steps: { kind: 'recorded', steps: [] } },
    pipelineId: 1,
    job: 1,
    allowFailure: false,
    current: true,
    ended: false,
    hadTurn: true,
    cancel: false,
    createdAt: new Date(0),
  };
}
