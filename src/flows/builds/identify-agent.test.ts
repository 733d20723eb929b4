import { describe, expect, test } from '@jest/globals';
import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import type { SessionRequest } from '#domain/build/agent-protocol.ts';
import { workLabels, type AgentPod } from '#domain/build/judge-agent-pod.ts';
import { agentPodsOf, realWaiting } from '#testing/flows/agent-ports.ts';
import { identifyAgent } from './identify-agent.ts';

const KEY = Buffer.alloc(32, 1);
const SESSION = { kind: 'build', build: 41, attempt: 2 } as const;
const WHERE = { namespace: 'main', name: 'app-unit-7-2-abcde', uid: 'u1' };
const BUILD_POD: AgentPod = {
  uid: 'u1',
  labels: workLabels(SESSION),
  ending: false,
  addresses: ['198.18.0.9'],
};
const CRON_POD: AgentPod = {
  ...BUILD_POD,
  addresses: [],
  labels: {
    'app.kubernetes.io/managed-by': 'millrace',
    'millrace.dev/kind': 'check',
    'millrace.dev/pipeline-id': '3',
    'millrace.dev/check-group': 'hourly',
  },
};

const BY_NONCE: SessionRequest = { key: 'k', pod: WHERE, nonce: signNonce(KEY, SESSION) };
const BY_TOKEN: SessionRequest = { key: 'k', pod: WHERE, token: 'projected' };
/** A Pod that has volumes anyway: the nonce says for what, the token where. */
const BY_BOTH: SessionRequest = { ...BY_NONCE, token: 'projected' };
const CHECKS = { kind: 'checks', run: 9 } as const;

function cluster(pod: AgentPod | undefined | (() => AgentPod | undefined), owner = WHERE) {
  const looks = { count: 0 };
  const pods = agentPodsOf(
    () => {
      looks.count += 1;
      return typeof pod === 'function' ? pod() : pod;
    },
    { token: 'projected', pod: owner },
  );
  return { looks, ports: { pods, credentials: agentCredentials(KEY), waiting: realWaiting } };
}

const CASES: Record<
  string,
  { request: SessionRequest; pod?: AgentPod; owner?: typeof WHERE; says: object | string }
> = {
  'a nonce of ours from the right Pod': {
    request: BY_NONCE,
    pod: BUILD_POD,
    says: { verdict: 'known', session: SESSION },
  },
  'a nonce of somebody else': {
    request: { ...BY_NONCE, nonce: signNonce(Buffer.alloc(32, 9), SESSION) },
    pod: BUILD_POD,
    says: 'its nonce is not of our making',
  },
  'a nonce from a Pod that is gone': { request: BY_NONCE, says: 'there is no such Pod' },
  'a nonce from another address': {
    request: BY_NONCE,
    pod: { ...BUILD_POD, addresses: ['198.18.0.10'] },
    says: 'the connection comes from 198.18.0.9, the Pod has 198.18.0.10',
  },
  'neither nonce nor token': {
    request: { key: 'k', pod: WHERE },
    says: 'it shows neither nonce nor token',
  },
  'both from the right Pod, which needs no address': {
    request: BY_BOTH,
    pod: { ...BUILD_POD, addresses: [] },
    says: { verdict: 'known', session: SESSION },
  },
  'both, though the connection comes from elsewhere: the token is in that Pod only': {
    request: BY_BOTH,
    pod: { ...BUILD_POD, addresses: ['198.18.0.10'] },
    says: { verdict: 'known', session: SESSION },
  },
  'both for a run of checks': {
    request: { ...BY_BOTH, nonce: signNonce(KEY, CHECKS) },
    pod: { ...BUILD_POD, labels: workLabels(CHECKS) },
    says: { verdict: 'known', session: CHECKS },
  },
  'a nonce of ours and a token that the API server does not know': {
    request: { ...BY_BOTH, token: 'other' },
    pod: BUILD_POD,
    says: 'its token is not that of an agent',
  },
  'a token of the right Pod and a nonce of somebody else': {
    request: { ...BY_BOTH, nonce: signNonce(Buffer.alloc(32, 9), SESSION) },
    pod: BUILD_POD,
    says: 'its nonce is not of our making',
  },
  'a token of the right Pod and a nonce for other work': {
    request: { ...BY_BOTH, nonce: signNonce(KEY, { ...SESSION, attempt: 3 }) },
    pod: BUILD_POD,
    says: "the Pod's label millrace.dev/attempt does not belong to this work",
  },
  'both, with the token of another Pod': {
    request: BY_BOTH,
    pod: BUILD_POD,
    owner: { ...WHERE, uid: 'u2' },
    says: 'its token belongs to another Pod',
  },
  'the token of a Pod that names a build in its labels, without the nonce of that build': {
    request: BY_TOKEN,
    pod: { ...BUILD_POD, addresses: [] },
    says: 'the labels of the Pod name no checks',
  },
  'the token of a Pod that a CronJob made': {
    request: BY_TOKEN,
    pod: CRON_POD,
    says: { verdict: 'group', pipelineId: 3, group: 'hourly' },
  },
  'a token that the API server does not know': {
    request: { ...BY_TOKEN, token: 'other' },
    pod: CRON_POD,
    says: 'its token is not that of an agent',
  },
  'the token of another Pod': {
    request: BY_TOKEN,
    pod: CRON_POD,
    owner: { ...WHERE, uid: 'u2' },
    says: 'its token belongs to another Pod',
  },
  'a token from a Pod that is ending': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, ending: true },
    says: 'the Pod is gone or ending',
  },
  'a token from a Pod with ids that are no numbers': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, labels: { ...CRON_POD.labels, 'millrace.dev/pipeline-id': '3 OR 1=1' } },
    says: 'the labels of the Pod name no checks',
  },
  'a token from a Pod that is not ours': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, labels: { 'millrace.dev/build-id': '41', 'millrace.dev/attempt': '2' } },
    says: 'the Pod is not one of ours',
  },
};

describe('the identity of an agent', () => {
  test.each(Object.entries(CASES))('%s', async (_name, { request, pod, owner, says }) => {
    const { ports } = cluster(pod, owner);
    const identified = await identifyAgent(request, '198.18.0.9', ports);
    expect(identified.verdict === 'refused' ? identified.reason : identified).toEqual(says);
  });

  test('the check of a nonce waits until the kubelet has reported the address', async () => {
    const { ports, looks } = cluster(() => ({
      ...BUILD_POD,
      addresses: looks.count < 3 ? [] : ['198.18.0.9'],
    }));
    const identified = await identifyAgent(BY_NONCE, '198.18.0.9', ports);
    expect(identified.verdict).toBe('known');
    expect(looks.count).toBe(3);
  });

  test('a nonce from another address is refused as soon as the address is known', async () => {
    const { ports, looks } = cluster(() => ({
      ...BUILD_POD,
      addresses: looks.count < 3 ? [] : ['198.18.0.9'],
    }));
    const identified = await identifyAgent(BY_NONCE, '198.18.0.66', ports);
    expect(identified.verdict).toBe('refused');
  });

  test('an agent has to try again if its Pod gets no address', async () => {
    const { ports } = cluster({ ...BUILD_POD, addresses: [] });
    const identified = await identifyAgent(BY_NONCE, '198.18.0.9', {
      ...ports,
      waiting: { ...realWaiting, maxWaitMs: 20 },
    });
    expect(identified).toEqual({ verdict: 'not-yet', reason: 'the Pod has no address in its status' });
  });
});
