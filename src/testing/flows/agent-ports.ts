import { setTimeout as sleep } from 'node:timers/promises';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { IssueIdentityPorts } from '#flows/builds/identity-ports.ts';
import type { ImageLookUps } from '#flows/builds/image-ports.ts';
import type { AddressWait, AgentPods, PodAnswer, PodName, TokenAnswer } from '#flows/builds/session-ports.ts';

/** Waits in real time. */
export const realWaiting: AddressWait = {
  elapsed: () => performance.now(),
  sleep: async (milliseconds) => await sleep(milliseconds),
};

/** A cluster with the Pods that `find` returns, which accepts one token. */
export function agentPodsOf(
  find: (pod: PodName) => AgentPod | undefined,
  accepted?: { token: string; pod: PodName & { uid: string } },
): AgentPods {
  return {
    async find(name): Promise<PodAnswer> {
      const pod = find(name);
      return pod === undefined ? { answer: 'absent' } : { answer: 'found', pod };
    },
    ofToken: async (token): Promise<TokenAnswer> =>
      token === accepted?.token ? { answer: 'agent', pod: accepted.pod } : { answer: 'unknown' },
    nameForBuild: buildPodName,
    nameForChecks: checkPodName,
  };
}

/** The operation of an answer that has the values of its secrets. Throws for any other answer. */
export function filledIn<T>(filled: { operation: T } | { answer: string }): T {
  if ('operation' in filled) return filled.operation;
  throw new Error(`The operation has no secrets: ${filled.answer}.`);
}

/** Ports for jobs without identity tokens. */
export const noIdentity: Omit<IssueIdentityPorts, 'builds' | 'sessions' | 'now'> = {
  externalUrl: undefined,
  newTokenId: () => 'none',
  identitySigner: () => Promise.resolve({ answer: 'unavailable', reason: 'Nobody signs.' }),
};

/** Look-ups of images for work that runs no entrypoint of an image. */
export const noImages: ImageLookUps = {
  lookUp: ({ image }) => Promise.resolve({ answer: 'end', reason: `Nobody looks up ${image}.` }),
};
