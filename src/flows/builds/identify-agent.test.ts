import { describe, expect, test } from '@jest/globals';
import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import type { SessionRequest } from '#domain/build/agent-protocol.ts';
import { workLabels, type AgentPod } from '#domain/build/judge-agent-pod.ts';
import { agentPodsOf, realWaiting } from '#testing/flows/agent-ports.ts';
import { identifyAgent } from './identify-agent.ts';

const KEY = Buffer.alloc(32, 1);
const SESSION = { kind: 'build', build: 41, attempt: 2 } as const;
const POD = { namespace: 'main', name: 'app-unit-7-2-abcde', uid: 'u1' };
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

const BY_NONCE: SessionRequest = { key: 'k', pod: POD, nonce: signNonce(KEY, SESSION) };
const BY_TOKEN: SessionRequest = { key: 'k', pod: POD, token: 'projected' };
/** An agent may send both: the nonce names the work, and the token proves in which Pod the agent runs. */
const BY_BOTH: SessionRequest = { ...BY_NONCE, token: 'projected' };
const CHECKS = { kind: 'checks', run: 9 } as const;

function cluster(pod: AgentPod | undefined | (() => AgentPod | undefined), owner = POD) {
  const reads = { count: 0 };
  const pods = agentPodsOf(
    () => {
      reads.count += 1;
      return typeof pod === 'function' ? pod() : pod;
    },
    { token: 'projected', pod: owner },
  );
  return { reads, ports: { pods, credentials: agentCredentials(KEY), waiting: realWaiting } };
}

const CASES: Record<
  string,
  { request: SessionRequest; pod?: AgentPod; owner?: typeof POD; expected: object | string }
> = {
  'a nonce of Millrace from the right Pod is accepted': {
    request: BY_NONCE,
    pod: BUILD_POD,
    expected: { verdict: 'known', session: SESSION },
  },
  'a nonce of somebody else is refused': {
    request: { ...BY_NONCE, nonce: signNonce(Buffer.alloc(32, 9), SESSION) },
    pod: BUILD_POD,
    expected: 'Millrace did not sign its nonce',
  },
  'a nonce from a Pod that is gone is refused': { request: BY_NONCE, expected: 'there is no such Pod' },
  'a nonce from another address is refused': {
    request: BY_NONCE,
    pod: { ...BUILD_POD, addresses: ['198.18.0.10'] },
    expected: 'the connection comes from 198.18.0.9, the Pod has 198.18.0.10',
  },
  'a request with neither nonce nor token is refused': {
    request: { key: 'k', pod: POD },
    expected: 'it sent neither a nonce nor a token',
  },
  'a nonce and a token from the right Pod are accepted before the Pod has an address': {
    request: BY_BOTH,
    pod: { ...BUILD_POD, addresses: [] },
    expected: { verdict: 'known', session: SESSION },
  },
  'a nonce and a token are accepted from another address, because only that Pod has the token': {
    request: BY_BOTH,
    pod: { ...BUILD_POD, addresses: ['198.18.0.10'] },
    expected: { verdict: 'known', session: SESSION },
  },
  'a nonce and a token for a run of checks are accepted': {
    request: { ...BY_BOTH, nonce: signNonce(KEY, CHECKS) },
    pod: { ...BUILD_POD, labels: workLabels(CHECKS) },
    expected: { verdict: 'known', session: CHECKS },
  },
  'a nonce with a token that the API server does not know is refused': {
    request: { ...BY_BOTH, token: 'other' },
    pod: BUILD_POD,
    expected: 'its token is not valid for an agent',
  },
  'a token of the right Pod with a nonce of somebody else is refused': {
    request: { ...BY_BOTH, nonce: signNonce(Buffer.alloc(32, 9), SESSION) },
    pod: BUILD_POD,
    expected: 'Millrace did not sign its nonce',
  },
  'a token of the right Pod with a nonce for other work is refused': {
    request: { ...BY_BOTH, nonce: signNonce(KEY, { ...SESSION, attempt: 3 }) },
    pod: BUILD_POD,
    expected: "the Pod's label millrace.dev/attempt does not belong to this work",
  },
  'a nonce with the token of another Pod is refused': {
    request: BY_BOTH,
    pod: BUILD_POD,
    owner: { ...POD, uid: 'u2' },
    expected: 'its token belongs to another Pod',
  },
  'the token of a Pod whose labels name a build is refused without the nonce of that build': {
    request: BY_TOKEN,
    pod: { ...BUILD_POD, addresses: [] },
    expected: 'the labels of the Pod name no check group',
  },
  'the token of a Pod that a CronJob created names the check group': {
    request: BY_TOKEN,
    pod: CRON_POD,
    expected: { verdict: 'group', pipelineId: 3, group: 'hourly' },
  },
  'a token that the API server does not know is refused': {
    request: { ...BY_TOKEN, token: 'other' },
    pod: CRON_POD,
    expected: 'its token is not valid for an agent',
  },
  'the token of another Pod is refused': {
    request: BY_TOKEN,
    pod: CRON_POD,
    owner: { ...POD, uid: 'u2' },
    expected: 'its token belongs to another Pod',
  },
  'a token from a Pod that is ending is refused': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, ending: true },
    expected: 'the Pod is gone or ending',
  },
  'a token from a Pod with ids that are not numbers is refused': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, labels: { ...CRON_POD.labels, 'millrace.dev/pipeline-id': '3 OR 1=1' } },
    expected: 'the labels of the Pod name no check group',
  },
  'a token from a Pod that is not of Millrace is refused': {
    request: BY_TOKEN,
    pod: { ...CRON_POD, labels: { 'millrace.dev/build-id': '41', 'millrace.dev/attempt': '2' } },
    expected: 'the Pod has no label of Millrace',
  },
};

describe('the identity of an agent', () => {
  test.each(Object.entries(CASES))('%s', async (_name, { request, pod, owner, expected }) => {
    const { ports } = cluster(pod, owner);
    const identified = await identifyAgent(request, '198.18.0.9', ports);
    expect(identified.verdict === 'refused' ? identified.reason : identified).toEqual(expected);
  });

  test('the check of a nonce waits until the kubelet has reported the address', async () => {
    const { ports, reads } = cluster(() => ({
      ...BUILD_POD,
      addresses: reads.count < 3 ? [] : ['198.18.0.9'],
    }));
    const identified = await identifyAgent(BY_NONCE, '198.18.0.9', ports);
    expect(identified.verdict).toBe('known');
    expect(reads.count).toBe(3);
  });

  test('a nonce from another address is refused as soon as the address is known', async () => {
    const { ports, reads } = cluster(() => ({
      ...BUILD_POD,
      addresses: reads.count < 3 ? [] : ['198.18.0.9'],
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
