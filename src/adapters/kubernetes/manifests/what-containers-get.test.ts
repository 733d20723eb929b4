import { describe, expect, test } from '@jest/globals';
import { ANYWHERE } from '#domain/planning/choose-nodes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import { WORKDIR } from '#domain/planning/workdir.ts';
import { buildPod } from './build-pod.ts';
import type { Installation, TeamRules } from './installation.ts';
import { teamNetworkPolicy } from './network-policy.ts';
import { SHIM_FOLDER, TOKEN_FILE } from './pod-volumes.ts';

/* What a Pod gives to its containers: steps, lanes, services and the get commands of secret types. */

const installation: Installation = {
  release: 'millrace',
  namespace: 'millrace-system',
  image: 'localhost/millrace:1',
  imagePullPolicy: 'IfNotPresent',
  pods: { imagePullPolicy: 'Always', storage: { request: '64Mi', limit: '10Gi' } },
  gateway: 'https://millrace-internal.millrace-system.svc:8443',
  certificateAuthority: 'the certificate',
};
const team: TeamRules = {
  name: 'blue',
  namespace: 'team-blue',
  podSecurity: 'baseline',
  imagePullSecrets: [{ name: 'registry' }],
  workers: [],
  requests: {},
  limits: {},
};

const CACHE = '/home/millrace/.cache/millrace/cache/blue/demo/git.app';
const image = 'localhost/node:24';
const volume = { resource: 'fs.out', path: '/srv/data/out', writes: true };

/** Each container with the paths that it mounts. */
const CONTAINERS: Record<string, [container: PlanContainer, mounts: string[]]> = {
  'a step in the worker image': [{ name: 'worker', pool: 'worker' }, [WORKDIR, CACHE]],
  'a lane in the worker image': [{ name: 'worker-lane-2', pool: 'worker' }, [WORKDIR]],
  'a step in an image of its own': [{ name: 'image-1', pool: 'image-1', image }, [WORKDIR, SHIM_FOLDER]],
  'a lane in an image of its own': [
    { name: 'image-1-lane-2', pool: 'image-1', image },
    [WORKDIR, SHIM_FOLDER],
  ],
  'a service in the worker image': [{ name: 'service-1-mock', service: 'mock' }, [WORKDIR]],
  'a service in an image of its own': [
    { name: 'service-2-redis', image: 'redis:8', service: 'redis' },
    [WORKDIR, SHIM_FOLDER],
  ],
  'a second service of a type': [
    { name: 'service-3-redis-2', image: 'redis:8', service: 'redis-2' },
    [WORKDIR, SHIM_FOLDER],
  ],
  'gets of secret types': [{ name: 'secrets', forSecrets: true }, []],
  'gets of secret types in an image of their own': [
    { name: 'secrets-image-1', image, forSecrets: true },
    [SHIM_FOLDER],
  ],
  'operations on a volume of the Team': [{ name: 'volume-1', volume }, [WORKDIR, '/srv/data']],
};

const containers = Object.values(CONTAINERS).map(([container]) => container);
const shim = { secret: 'the-secret-of-all-shims', keyOf: (name: string): string => `key-of-${name}` };
const pod = buildPod(
  {
    build: { id: 41, attempt: 1, team: 'blue', pipeline: 'demo', job: 'unit', number: '7' },
    containers,
    placement: ANYWHERE,
    nonce: 'the-nonce',
    shim,
    deadlineSeconds: 3600,
    owner: { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', name: 'demo', uid: 'uid-1' },
    caches: [{ claim: 'cache-git-app', folder: CACHE, containers: ['worker'] }],
    mounts: [
      {
        volume: { name: 'data', mountPath: '/srv/data', persistentVolumeClaim: { claimName: 'claim-1' } },
        container: 'volume-1',
        readOnly: false,
        resource: 'fs.out',
      },
    ],
  },
  team,
  installation,
);
const containerNamed = (name: string) => pod.spec?.containers.find((container) => container.name === name);

describe('the container of', () => {
  test.each(Object.entries(CONTAINERS))(
    '%s gets only its own files and its own key',
    (_, [{ name }, mounts]) => {
      const { env = [], envFrom, volumeMounts = [], ports, lifecycle } = containerNamed(name) ?? {};
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(mounts);
      expect(env).toEqual([
        { name: 'MILLRACE_CONTAINER', value: name },
        { name: 'MILLRACE_SHIM_PORT', value: '7357' },
        { name: 'MILLRACE_SHIM_KEY', value: `key-of-${name}` },
      ]);
      expect([envFrom, ports, lifecycle]).toEqual([undefined, undefined, undefined]);
    },
  );

  test.each(Object.entries(CONTAINERS))(
    '%s has neither token nor nonce nor key of others',
    (_, [{ name }]) => {
      const text = JSON.stringify(containerNamed(name));
      expect(text).not.toMatch(/the-nonce|the-secret-of-all-shims|"token"|var\/run\/secrets/);
      const others = containers.filter((other) => other.name !== name);
      for (const other of others) expect(text).not.toContain(`"key-of-${other.name}"`);
    },
  );

  test.each(Object.entries(CONTAINERS))(
    '%s cannot change the shim that other containers run',
    (_, [{ name }]) => {
      const { volumeMounts = [] } = containerNamed(name) ?? {};
      const shims = volumeMounts.filter(({ mountPath }) => mountPath === SHIM_FOLDER);
      expect(shims.filter(({ readOnly }) => readOnly !== true)).toEqual([]);
    },
  );

  test.each(Object.entries(CONTAINERS))('%s gains no privileges', (_, [{ name }]) => {
    const { securityContext } = containerNamed(name) ?? {};
    expect(securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(securityContext?.privileged).toBeUndefined();
    expect(securityContext?.capabilities?.add ?? []).not.toContain('SYS_PTRACE');
  });
});

test('only the agent mounts the token, and no part of the plan is in the Pod', () => {
  const holders = pod.spec?.containers.filter(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name, mountPath }) => name === 'token' || TOKEN_FILE.startsWith(mountPath)),
  );
  expect(holders?.map(({ name }) => name)).toEqual(['agent']);
  expect(pod.spec?.containers).toHaveLength(containers.length + 1);
  expect(pod.spec).not.toHaveProperty('initContainers');
});

test('containers of a Pod share no processes, and nothing of the node', () => {
  const { hostPID, hostIPC, hostNetwork, shareProcessNamespace } = pod.spec ?? {};
  expect([hostPID, hostIPC, hostNetwork, shareProcessNamespace]).toEqual(Array.from({ length: 4 }));
});

test('services are reached by their names from the containers of their own Pod, and from nowhere else', () => {
  expect(pod.spec?.hostAliases).toEqual([{ ip: '127.0.0.1', hostnames: ['mock', 'redis', 'redis-2'] }]);
  const { podSelector, policyTypes, ingress } = teamNetworkPolicy([], installation);
  expect(policyTypes).toContain('Ingress');
  expect(ingress).toBeUndefined();
  expect(pod.metadata?.labels).toMatchObject(podSelector?.matchLabels ?? { none: 'selected' });
});
