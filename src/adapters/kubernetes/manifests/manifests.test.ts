import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { defined } from '#defined';
import { checkDeadlineSeconds } from '#domain/planning/check-deadline.ts';
import { ANYWHERE, type Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { ScheduledCheck } from '#domain/planning/scheduled-checks.ts';
import type { PodsWithUserNamespace } from '#domain/planning/user-namespaces.ts';
import { buildPod, type BuildPodWork } from './build-pod.ts';
import { cacheClaim } from './cache-claim.ts';
import { checkCronJob } from './check-cron-job.ts';
import { checkPod, type CheckWork } from './check-pod.ts';
import type { Installation, TeamRules } from './installation.ts';
import { nodeLabel } from './labels.ts';
import {
  podsServiceAccount,
  teamLimitRange,
  teamNamespace,
  teamNetworkPolicies,
  teamQuota,
  teamRoleBindings,
  type TeamNamespace,
} from './team-namespace.ts';
import { shapeOfPod, warmPod } from './warm-pod.ts';

const installation: Installation = {
  release: 'millrace',
  namespace: 'millrace-system',
  image: 'localhost/millrace:1',
  imagePullPolicy: 'IfNotPresent',
  pods: { imagePullPolicy: 'Always', storage: { request: '64Mi', limit: '10Gi' } },
  gateway: 'https://millrace-internal.millrace-system.svc:8443',
  certificateAuthority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
};
const plainTeam: TeamRules = {
  name: 'blue',
  namespace: 'team-blue',
  podSecurity: 'baseline',
  imagePullSecrets: [],
  workers: [],
  requests: {},
  limits: {},
};
const strictTeam: TeamRules = {
  ...plainTeam,
  podSecurity: 'restricted',
  workerImage: 'localhost/worker:2',
  imagePullSecrets: [{ name: 'registry' }],
  requests: { cpu: 1, memory: '512Mi' },
  limits: { memory: '2Gi', 'ephemeral-storage': '10Gi' },
};
const owner = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', name: 'demo', uid: 'uid-1' };
const shim = { secret: 'shim-secret', keyOf: (container: string): string => `key-of-${container}` };
const worker: PlanContainer = { name: 'worker' };
const otherImage: PlanContainer = { name: 'image-1-node', image: 'localhost/node:24' };
const distroless: PlanContainer = {
  name: 'image-2-plugin',
  image: 'registry.example/plugin:1',
  withoutShell: true,
};
const SECRETS = { forSecrets: true } as const;
const build = { id: 41, attempt: 1, team: 'blue', pipeline: 'demo', job: 'unit', number: '7' };

const anyNodeWork = { placement: ANYWHERE, nonce: 'b.41.1.mac', shim, deadlineSeconds: 25_200, owner };
const gitCache = {
  claim: 'cache-git-app-5-1-x',
  folder: '/home/millrace/.cache/millrace/cache/blue/demo/git.app',
  containers: ['worker'],
};
const pluginCache = {
  claim: 'cache-own-store-6-1-x',
  folder: '/home/millrace/.cache/millrace/cache/blue/demo/own.store',
  containers: ['worker', 'image-1-node'],
};

const workOf = (containers: PlanContainer[], placement = ANYWHERE): BuildPodWork => ({
  build,
  containers,
  placement,
  nonce: 'b.41.1.mac',
  shim,
  deadlineSeconds: 25_200,
  owner,
});
const buildOf = (containers: PlanContainer[], team: TeamRules, placement = ANYWHERE): unknown =>
  buildPod(workOf(containers, placement), team, installation);

const warmWork = {
  id: 5,
  team: 'blue',
  containers: [worker],
  placement: ANYWHERE,
  nonce: 'w.5.mac',
  shim,
  deadlineSeconds: 25_200,
  idleSeconds: 600,
};

const volumeContainer: PlanContainer = {
  name: 'volume-1-fs-out',
  volume: { resource: 'fs.out', path: '/srv/data/out', writes: true },
};
const MOUNTS: MountedVolume[] = [
  {
    volume: { name: 'data', mountPath: '/srv/data', persistentVolumeClaim: { claimName: 'claim-1' } },
    container: volumeContainer.name,
    readOnly: false,
    resource: 'fs.out',
  },
  {
    volume: { name: 'shared', mountPath: '/srv/shared', persistentVolumeClaim: { claimName: 'claim-2' } },
    container: volumeContainer.name,
    readOnly: true,
    resource: 'fs.in',
  },
  {
    volume: { name: 'settings', mountPath: '/srv/settings', configMap: { name: 'settings' } },
    container: volumeContainer.name,
    readOnly: true,
    resource: 'fs.settings',
  },
];
type Group = ScheduledCheck['group'];
const groupOf = (fields: Pick<Group, 'schedule'> & Partial<Group>): Group => ({
  key: 'every-30s',
  tags: [],
  timedByOperator: fields.schedule.kind === 'every',
  resources: ['git.app', 'git.docs'],
  ...fields,
});
const cronJobOf = (group: Group, containers: PlanContainer[]): unknown => {
  const deadlineSeconds = checkDeadlineSeconds(group.resources.length);
  const check = { group, placement: ANYWHERE, mounts: [], containers, deadlineSeconds };
  return checkCronJob(
    { team: 'blue', pipeline: 'demo', pipelineId: 3, ...check, shim, owner },
    plainTeam,
    installation,
  );
};
const blueNamespace: TeamNamespace = {
  team: 'blue',
  namespace: 'team-blue',
  podSecurity: 'baseline',
  quota: { cpu: 8, memory: '16Gi' },
  denyCidrs: ['10.0.0.0/8', 'fc00::/7'],
  owner: { apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', name: 'blue', uid: 'uid-2' },
};

const checkOf = (resources: string[]): CheckWork => ({
  run: 12,
  team: 'blue',
  pipeline: 'demo',
  pipelineId: 3,
  resources,
  placement: {
    ...ANYWHERE,
    nodeSelector: { [nodeLabel('gpu')]: 'true', [nodeLabel('x'.repeat(63))]: 'true' },
  },
  containers: [worker],
  deadlineSeconds: checkDeadlineSeconds(resources.length),
  nonce: 'c.12.mac',
  shim,
  owner,
});

const onGpu: Placement = {
  nodeSelector: { 'example.com/accelerator': 'a100' },
  tolerations: [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
  requests: { cpu: 4 },
  limits: { 'nvidia.com/gpu': 1, memory: '16Gi' },
  runtimeClassName: 'nvidia',
};

const GOLDEN: Record<string, () => unknown> = {
  'build-in-worker-image': () => buildOf([worker], plainTeam),
  'warm-pod': () => warmPod(warmWork, plainTeam, installation),
  'build-with-caches': () =>
    buildPod(
      { build, ...anyNodeWork, containers: [worker, otherImage], caches: [gitCache, pluginCache] },
      plainTeam,
      installation,
    ),
  'build-with-a-cache-in-the-worker-image': () =>
    buildPod({ build, ...anyNodeWork, containers: [worker], caches: [gitCache] }, plainTeam, installation),
  'claim-of-a-cache': () =>
    cacheClaim(
      {
        cache: 5,
        generation: 2,
        resource: 'git.app',
        team: 'blue',
        namespace: 'team-blue',
        pipeline: 'demo',
        settings: { size: '10Gi', accessModes: ['ReadWriteOnce'] },
      },
      owner,
    ),
  'build-in-two-images': () => buildOf([worker, otherImage], plainTeam),
  'build-in-an-image-without-shell': () => buildOf([worker, otherImage, distroless], plainTeam),
  'build-of-restricted-team': () => buildOf([worker, otherImage], strictTeam),
  'build-on-a-tagged-node': () => buildOf([worker, otherImage], strictTeam, onGpu),
  'build-with-a-secret-type-of-its-own': () =>
    buildOf(
      [worker, { ...SECRETS, name: 'secrets' }, { ...otherImage, ...SECRETS, name: 'secrets-image-1-node' }],
      plainTeam,
    ),
  'build-with-volumes-of-its-team': () =>
    buildPod({ ...workOf([worker, volumeContainer]), mounts: MOUNTS }, plainTeam, installation),
  'check-on-a-volume': () =>
    checkPod(
      { ...checkOf(['fs.settings']), containers: [volumeContainer], mounts: MOUNTS.slice(1) },
      plainTeam,
      installation,
    ),
  'build-without-steps-to-run': () => buildOf([], plainTeam),
  'check-of-one-run': () => checkPod(checkOf(['git.app']), plainTeam, installation),
  'check-every-so-often': () => cronJobOf(groupOf({ schedule: { kind: 'every', seconds: 30 } }), [worker]),
  'check-by-cron-expression': () => {
    const schedule = { kind: 'cron', expression: '5 * * * *', timeZone: 'Europe/Berlin' } as const;
    return cronJobOf(groupOf({ key: 'cron-1', schedule }), [otherImage]);
  },
  team: () => [
    teamNamespace(blueNamespace),
    podsServiceAccount(blueNamespace),
    ...teamRoleBindings(blueNamespace, installation),
    ...teamNetworkPolicies(blueNamespace, installation),
    teamQuota(blueNamespace),
    teamLimitRange(blueNamespace),
  ],
};

describe('each manifest equals its readable golden file', () => {
  test.each(Object.entries(GOLDEN))('%s', (name, make) => {
    const file = new URL(`golden/${name}.yaml`, import.meta.url);
    const object = make();
    if (isUpdating()) writeFileSync(file, stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
    expect(object).toEqual(parse(readFileSync(file, 'utf8')));
  });
});

/** Whether jest runs with `-u`, which writes the golden files again. Read their difference afterwards. */
function isUpdating(): boolean {
  const state: object & { snapshotState?: unknown } = expect.getState();
  return JSON.stringify(state.snapshotState).includes('"_updateSnapshot":"all"');
}

test.each([
  ['registry.example.org/a/b:1', 'Always'],
  ['busybox', 'Always'],
  [`busybox@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ['localhost/loaded:dev', 'IfNotPresent'],
  ['localhost:5000/pushed:dev', 'Always'],
])('the image %s of a pipeline or a Team has the pull policy %s', (image, imagePullPolicy) => {
  const step = { name: 'image-1', image };
  const agent = { name: 'agent', imagePullPolicy: installation.imagePullPolicy };
  const containers = [agent, { name: 'worker', image, imagePullPolicy }, { ...step, imagePullPolicy }];
  const team = { ...plainTeam, workerImage: image };
  expect(buildOf([worker, step], team)).toMatchObject({ spec: { containers } });
});

const limited = (limit: string) => ({ resources: { limits: { 'ephemeral-storage': limit } } });
const workdir = (sizeLimit: string) => ({ name: 'workdir', emptyDir: { sizeLimit } });

test('the storage limit of a Team or a tag comes before that of the installation', () => {
  const teamWithLimit = { ...plainTeam, limits: { 'ephemeral-storage': '2Gi' } };
  for (const [team, limit] of [
    [plainTeam, '10Gi'],
    [teamWithLimit, '2Gi'],
  ] as const) {
    const pod = buildOf([otherImage], team);
    expect(pod).toMatchObject({ spec: { containers: [limited(limit), limited(limit)] } });
    expect(pod).toMatchObject({ spec: { volumes: [workdir(limit), { name: 'shim' }, { name: 'token' }] } });
  }
});

test.each([
  [2, 900],
  [9, 1500],
])('the deadline of a Pod with %d checks leaves time for each of them: %d s', (count, seconds) => {
  const resources = Array.from({ length: count }, (_, index) => `git.r${index}`);
  const cronJob = cronJobOf(groupOf({ resources, schedule: { kind: 'every', seconds: 30 } }), [worker]);
  const template = { spec: { activeDeadlineSeconds: seconds } };
  const expected = { spec: { jobTemplate: { spec: { activeDeadlineSeconds: seconds, template } } } };
  expect(cronJob).toMatchObject(expected);
  expect(checkPod(checkOf(resources), plainTeam, installation)).toMatchObject(template);
});

describe('the user namespace of a Pod', () => {
  const RUNTIMES: Record<
    string,
    [pods: PodsWithUserNamespace, runtimeClassName: string | undefined, hostUsers: unknown]
  > = {
    'is absent if the installation wants none': ['none', undefined, undefined],
    'is there with the default runtime': ['default-runtime', undefined, false],
    'is absent with another runtime class': ['default-runtime', 'kata', undefined],
    'is there with another runtime class if every Pod gets one': ['every-pod', 'kata', false],
  };
  test.each(Object.entries(RUNTIMES))('%s', (_sentence, [pods, runtimeClassName, expected]) => {
    const withUserNamespaces = { ...installation, pods: { ...installation.pods, userNamespaces: pods } };
    const placement = { ...ANYWHERE, ...defined({ runtimeClassName }) };
    const work = { build, containers: [worker], placement, nonce: 'n', shim, deadlineSeconds: 60 };
    expect(buildPod(work, plainTeam, withUserNamespaces).spec?.hostUsers).toBe(expected);
    expect(
      checkPod({ ...checkOf(['git.app']), placement }, plainTeam, withUserNamespaces).spec?.hostUsers,
    ).toBe(expected);
    const group = groupOf({ schedule: { kind: 'every', seconds: 30 } });
    const check = { group, placement, mounts: [], containers: [worker], deadlineSeconds: 60 };
    const cronJob = checkCronJob(
      { team: 'blue', pipeline: 'demo', pipelineId: 3, ...check, shim, owner },
      plainTeam,
      withUserNamespaces,
    );
    expect(cronJob.spec?.jobTemplate.spec?.template.spec?.hostUsers).toBe(expected);
  });

  const VOLUMES: Record<string, [pods: PodsWithUserNamespace, mounts: MountedVolume[], hostUsers: unknown]> =
    {
      'is absent with a claim of the Team': ['default-runtime', MOUNTS.slice(0, 1), undefined],
      'is there with a ConfigMap as a volume': ['default-runtime', MOUNTS.slice(2), false],
      'is there with claims if every Pod gets one': ['every-pod', MOUNTS, false],
    };
  test.each(Object.entries(VOLUMES))('%s', (_sentence, [pods, mounts, expected]) => {
    const withUserNamespaces = { ...installation, pods: { ...installation.pods, userNamespaces: pods } };
    expect(
      buildPod({ ...workOf([volumeContainer]), mounts }, plainTeam, withUserNamespaces).spec?.hostUsers,
    ).toBe(expected);
  });
});

test('a team that limits no requests has neither a ResourceQuota nor a LimitRange', () => {
  expect(teamQuota({ ...blueNamespace, quota: {} })).toBeUndefined();
  expect(teamLimitRange({ ...blueNamespace, quota: {} })).toBeUndefined();
});

test('a Pod whose steps all run in the worker image has no volumes', () => {
  const text = JSON.stringify(buildOf([worker], strictTeam));
  expect(text).not.toMatch(/volume/i);
});

describe('the shape of a warm Pod', () => {
  const shapeWith = (changes: Partial<typeof warmWork>, team = plainTeam, release = installation): string =>
    shapeOfPod({ ...warmWork, ...changes }, team, release);
  const plain = shapeWith({});
  const differs: Record<string, string> = {
    'another image': shapeWith({ containers: [worker, otherImage] }),
    'another name of a container': shapeWith({ containers: [{ name: 'other' }] }),
    'a container for other steps': shapeWith({ containers: [{ ...worker, service: 'redis' }] }),
    'another deadline': shapeWith({ deadlineSeconds: 60 }),
    'another node': shapeWith({ placement: { ...ANYWHERE, nodeSelector: { gpu: 'true' } } }),
    'another namespace': shapeWith({}, { ...plainTeam, namespace: 'team-red' }),
    'another security standard': shapeWith({}, { ...plainTeam, podSecurity: 'restricted' }),
    'another release of Millrace': shapeWith({}, plainTeam, { ...installation, image: 'millrace:2' }),
  };
  test.each(Object.entries(differs))('differs with %s', (_title, shape) => {
    expect(shape).not.toBe(plain);
  });

  test('does not depend on fields that only identify the Pod', () => {
    expect(shapeWith({ id: 6, nonce: 'w.6.mac', idleSeconds: 30 })).toBe(plain);
  });
});

test('a warm Pod names no pipeline, job or build, and its deadline includes the time to wait for a build', () => {
  const { metadata, spec } = warmPod(warmWork, plainTeam, installation);
  expect(Object.keys(metadata?.labels ?? {})).toEqual([
    'app.kubernetes.io/managed-by',
    'millrace.dev/kind',
    'millrace.dev/team',
    'millrace.dev/warm-pod',
  ]);
  expect(metadata?.ownerReferences).toBeUndefined();
  expect(spec?.activeDeadlineSeconds).toBe(25_800);
});
