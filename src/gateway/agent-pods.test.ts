import { describe, expect, test } from '@jest/globals';
import { agentPods } from './agent-pods.ts';

type Client = Parameters<typeof agentPods>[0];

/** An API server that answers every request with this body. */
function clientAnswering(body: object): Client {
  const value = JSON.parse(JSON.stringify(body));
  return { get: async () => ({ ok: true, value }), reviewToken: async () => ({ ok: true, value }) };
}

function clientRefusing(status: number): Client {
  const problem = { ok: false as const, status, reason: 'Told', message: 'no' };
  return { get: async () => problem, reviewToken: async () => problem };
}

describe('agentPods.find', () => {
  const metadata = { uid: 'u1', labels: { a: 'b' } };
  const cases: Record<string, [body: object, expected: object]> = {
    new: [{ metadata }, { uid: 'u1', labels: { a: 'b' }, ending: false, addresses: [] }],
    'running, with both addresses': [
      {
        metadata,
        status: { phase: 'Running', podIP: '198.18.0.9', podIPs: [{ ip: '198.18.0.9' }, { ip: 'fd00::9' }] },
      },
      { ending: false, addresses: ['198.18.0.9', 'fd00::9'] },
    ],
    'being deleted': [
      { metadata: { ...metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } },
      { ending: true },
    ],
    finished: [{ metadata, status: { phase: 'Failed' } }, { ending: true }],
  };
  test.each(Object.entries(cases))('reads a Pod that is %s', async (_name, [body, expected]) => {
    expect(await agentPods(clientAnswering(body)).find({ namespace: 'main', name: 'pod' })).toMatchObject({
      answer: 'found',
      pod: expected,
    });
  });

  test('distinguishes an absent Pod from an API server that does not answer', async () => {
    expect(await agentPods(clientRefusing(404)).find({ namespace: 'main', name: 'pod' })).toEqual({
      answer: 'absent',
    });
    expect(await agentPods(clientRefusing(503)).find({ namespace: 'main', name: 'pod' })).toEqual({
      answer: 'unavailable',
      reason: 'reading Pod main/pod: no (Told, 503)',
    });
  });
});

describe('agentPods.ofToken', () => {
  const extra = {
    'authentication.kubernetes.io/pod-name': ['check-1'],
    'authentication.kubernetes.io/pod-uid': ['u1'],
  };
  const user = { username: 'system:serviceaccount:main:millrace-pods', extra };
  const status = { authenticated: true, audiences: ['millrace-gateway'], user };

  test('returns the Pod that the token was created for', async () => {
    expect(await agentPods(clientAnswering({ status })).ofToken('t')).toEqual({
      answer: 'agent',
      pod: { namespace: 'main', name: 'check-1', uid: 'u1' },
    });
  });

  const others: Record<string, object> = {
    'not authenticated': { ...status, authenticated: false },
    'for another audience': { ...status, audiences: ['https://kubernetes.default.svc'] },
    'without audiences, as an old server answers': { ...status, audiences: undefined },
    'of another service account': {
      ...status,
      user: { ...user, username: 'system:serviceaccount:main:default' },
    },
    'of a person': { ...status, user: { ...user, username: 'millrace-pods' } },
    'of a node': { ...status, user: { ...user, username: 'system:node:main:millrace-pods' } },
    'bound to no Pod': { ...status, user: { username: user.username } },
  };
  test.each(Object.entries(others))('rejects a token that is %s', async (_name, reported) => {
    expect(await agentPods(clientAnswering({ status: reported })).ofToken('t')).toEqual({
      answer: 'unknown',
    });
  });

  test('reports an API server that does not answer as unavailable', async () => {
    expect(await agentPods(clientRefusing(500)).ofToken('t')).toEqual({
      answer: 'unavailable',
      reason: 'reviewing the token of an agent: no (Told, 500)',
    });
  });
});
