import { describe, expect, test } from '@jest/globals';
import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { checkPod } from '#adapters/kubernetes/manifests/check-pod.ts';
import { GATEWAY_AUDIENCE } from '#adapters/kubernetes/manifests/pod-volumes.ts';
import { SERVICE_ACCOUNT } from '#adapters/kubernetes/manifests/pod.ts';
import { endedStatus } from './kubelet.ts';
import { podWork } from './pod-work.ts';

/** A Pod as the operator creates it, in the state of a running one. */
function runningPod(image?: string): Wire<V1Pod> {
  const made = checkPod(
    {
      run: 7,
      team: 'main',
      pipeline: 'app',
      pipelineId: 1,
      resources: ['git.app'],
      placement: { nodeSelector: {}, tolerations: [], requests: {}, limits: {} },
      containers: [{ name: 'worker', ...(image === undefined ? {} : { image }) }],
      deadlineSeconds: 900,
      nonce: 'c.7.x',
      shim: { secret: 'secret', keyOf: (name) => `key of ${name}` },
    },
    {
      name: 'main',
      namespace: 'ns',
      podSecurity: 'baseline',
      workers: [],
      imagePullSecrets: [],
      requests: {},
      limits: {},
    },
    {
      release: 'millrace',
      namespace: 'millrace-system',
      image: 'millrace:1',
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
      gateway: 'https://gateway.example.test:8443',
      certificateAuthority: 'PEM',
    },
  );
  const pod: Wire<V1Pod> = JSON.parse(JSON.stringify(made));
  const status = { phase: 'Running', podIP: '127.64.0.1', startTime: '2026-11-21T20:00:00Z' };
  return { ...pod, metadata: { ...pod.metadata, uid: 'uid-7' }, status };
}

describe('the agent of a Pod', () => {
  test('whose containers all run the worker image has a nonce and no token', () => {
    expect(podWork(runningPod())).toEqual({
      pod: { namespace: 'ns', name: 'check-app-7', uid: 'uid-7' },
      gateway: new URL('https://gateway.example.test:8443'),
      certificateAuthority: 'PEM',
      nonce: 'c.7.x',
      address: '127.64.0.1',
      containers: [
        { name: 'agent', image: 'millrace:1' },
        { name: 'worker', image: 'millrace:1' },
      ],
      startedAt: '2026-11-21T20:00:00Z',
    });
  });

  test('with another image has a token, too, with the audience and account of the Pod', () => {
    expect(podWork(runningPod('probe:1'))?.token).toEqual({
      account: SERVICE_ACCOUNT,
      audience: GATEWAY_AUDIENCE,
      seconds: 3600,
    });
  });

  test.each([
    ['before it runs', { status: { phase: 'Pending' } }],
    ['once it has ended', { status: { phase: 'Succeeded' } }],
    ['that is not managed by Millrace', { metadata: { name: 'x', namespace: 'ns', uid: 'u' } }],
    [
      'that is being deleted',
      { metadata: { ...runningPod().metadata, deletionTimestamp: '2026-11-21T20:00:00Z' } },
    ],
  ])('has nothing to do in a Pod %s', (_sentence, change) => {
    expect(podWork({ ...runningPod(), ...change })).toBeUndefined();
  });
});

test('the status of a Pod that succeeded has exit code 0 for each container', () => {
  const work = { containers: [{ name: 'agent', image: 'a' }], startedAt: '2026-11-21T20:00:00Z' };
  expect(endedStatus(work, new Date('2026-11-21T20:00:02Z'))).toMatchObject({
    phase: 'Succeeded',
    containerStatuses: [
      {
        name: 'agent',
        state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-21T20:00:02.000Z' } },
      },
    ],
  });
});
