import type { CheckTransaction } from '#flows/checks/ports.ts';

const refuseScopes = async (): Promise<never> => {
  throw new Error('This test has no scopes.');
};

/** A store of checks whose runs have no scopes. A flow can only close a run, which calls `closeRun`. */
export function checksWithoutScopes(closeRun: (run: number, error?: string) => void) {
  const tx: CheckTransaction = {
    dueScopes: async () => [],
    freeScopesOf: async () => [],
    runOfPod: async () => undefined,
    openRun: refuseScopes,
    scopeOfCheck: async () => undefined,
    addVersions: refuseScopes,
    freeScope: refuseScopes,
    failCheck: refuseScopes,
    wakeTriggers: async () => false,
    scopesOf: async () => [],
    closeRun: async (run, error) => {
      closeRun(run, error);
      return { released: false };
    },
  };
  return {
    cronNext: () => undefined,
    withChecks: async <T>(work: (transaction: CheckTransaction) => Promise<T>): Promise<T> => await work(tx),
  };
}
