import { setTimeout as sleep } from 'node:timers/promises';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { AddressWait, AgentPods, PodAnswer, PodName, TokenAnswer } from '#flows/builds/session-ports.ts';

/** Time as it is. */
export const realWaiting: AddressWait = {
  elapsed: () => performance.now(),
  sleep: async (milliseconds) => await sleep(milliseconds),
};

/** A cluster that has the Pods that `find` returns, and knows one token. */
export function agentPodsOf(
  find: (pod: PodName) => AgentPod | undefined,
  known?: { token: string; pod: PodName & { uid: string } },
): AgentPods {
  return {
    async find(name): Promise<PodAnswer> {
      const pod = find(name);
      return pod === undefined ? { answer: 'absent' } : { answer: 'found', pod };
    },
    ofToken: async (token): Promise<TokenAnswer> =>
      token === known?.token ? { answer: 'agent', pod: known.pod } : { answer: 'unknown' },
    nameForBuild: buildPodName,
    nameForChecks: checkPodName,
  };
}

/** The work, where all its secrets have values. */
export function filledWork<T>(filled: { answer: 'filled'; work: T } | { answer: string }): T {
  if ('work' in filled) return filled.work;
  throw new Error(`The work has no secrets: ${filled.answer}.`);
}
