import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { checkDeadlineSeconds } from '#domain/planning/check-deadline.ts';
import { ANYWHERE, type Placement } from '#domain/planning/place-pod.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { ScheduledCheck } from '#domain/planning/scheduled-checks.ts';
import { buildPod } from './build-pod.ts';
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
const foreign: PlanContainer = { name: 'image-1-node', image: 'localhost/node:24' };
const build = { id: 41, attempt: 1, team: 'blue', pipeline: 'demo', job: 'unit', number: '7' };

const buildOf = (containers: PlanContainer[], team: TeamRules, placement = ANYWHERE): unknown =>
  buildPod(
    { build, containers, placement, nonce: 'b.41.1.mac', shim, deadlineSeconds: 25_200, owner },
    team,
    installation,
  );
type Group = ScheduledCheck['group'];
const groupOf = (more: Pick<Group, 'schedule'> & Partial<Group>): Group => ({
  key: 'every-30s',
  tags: [],
  timedByOperator: more.schedule.kind === 'every',
  resources: ['git.app', 'git.docs'],
  ...more,
});
const cronJobOf = (group: Group, containers: PlanContainer[]): unknown => {
  const deadlineSeconds = checkDeadlineSeconds(group.resources.length);
  const check = { group, placement: ANYWHERE, containers, deadlineSeconds };
  return checkCronJob(
    { team: 'blue', pipeline: 'demo', pipelineId: 3, ...check, shim, owner },
    plainTeam,
    installation,
  );
};
const space: TeamNamespace = {
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
  'build-in-two-images': () => buildOf([worker, foreign], plainTeam),
  'build-of-restricted-team': () => buildOf([worker, foreign], strictTeam),
  'build-on-a-tagged-node': () => buildOf([worker, foreign], strictTeam, onGpu),
  'build-without-steps-to-run': () => buildOf([], plainTeam),
  'check-of-one-run': () => checkPod(checkOf(['git.app']), plainTeam, installation),
  'check-every-so-often': () => cronJobOf(groupOf({ schedule: { kind: 'every', seconds: 30 } }), [worker]),
  'check-by-cron-expression': () =>
    cronJobOf(groupOf({ key: 'cron-1', schedule: { kind: 'cron', expression: '5 * * * *' } }), [foreign]),
  team: () => [
    teamNamespace(space),
    podsServiceAccount(space),
    ...teamRoleBindings(space, installation),
    ...teamNetworkPolicies(space, installation),
    teamQuota(space),
    teamLimitRange(space),
  ],
};

describe('what we ask of the cluster is in files that a person can read', () => {
  test.each(Object.entries(GOLDEN))('%s', (name, make) => {
    const file = new URL(`golden/${name}.yaml`, import.meta.url);
    const object = make();
    if (updating()) writeFileSync(file, stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
    expect(object).toEqual(parse(readFileSync(file, 'utf8')));
  });
});

/** `jest -u` writes the files anew; then read the difference. */
function updating(): boolean {
  const state: object & { snapshotState?: unknown } = expect.getState();
  return JSON.stringify(state.snapshotState).includes('"_updateSnapshot":"all"');
}

test.each([
  ['registry.example.org/a/b:1', 'Always'],
  ['busybox', 'Always'],
  [`busybox@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ['localhost/loaded:dev', 'IfNotPresent'],
  ['localhost:5000/pushed:dev', 'Always'],
])('the image %s of a pipeline or a Team is pulled %s', (image, imagePullPolicy) => {
  const step = { name: 'image-1', image };
  const ours = { name: 'agent', imagePullPolicy: installation.imagePullPolicy };
  const containers = [ours, { name: 'worker', image, imagePullPolicy }, { ...step, imagePullPolicy }];
  const team = { ...plainTeam, workerImage: image };
  expect(buildOf([worker, step], team)).toMatchObject({ spec: { containers } });
});

const limited = (limit: string) => ({ resources: { limits: { 'ephemeral-storage': limit } } });
const workdir = (sizeLimit: string) => ({ name: 'workdir', emptyDir: { sizeLimit } });

test('the storage that a Team or a tag names counts, and else what the installation names', () => {
  const own = { ...plainTeam, limits: { 'ephemeral-storage': '2Gi' } };
  for (const [team, limit] of [
    [plainTeam, '10Gi'],
    [own, '2Gi'],
  ] as const) {
    const made = buildOf([foreign], team);
    expect(made).toMatchObject({ spec: { containers: [limited(limit), limited(limit)] } });
    expect(made).toMatchObject({ spec: { volumes: [workdir(limit), { name: 'shim' }, { name: 'token' }] } });
  }
});

test.each([
  [2, 900],
  [9, 1500],
])('the deadline of %d checks leaves each of them its time: %d s', (count, seconds) => {
  const resources = Array.from({ length: count }, (_, index) => `git.r${index}`);
  const cronJob = cronJobOf(groupOf({ resources, schedule: { kind: 'every', seconds: 30 } }), [worker]);
  const template = { spec: { activeDeadlineSeconds: seconds } };
  const wanted = { spec: { jobTemplate: { spec: { activeDeadlineSeconds: seconds, template } } } };
  expect(cronJob).toMatchObject(wanted);
  expect(checkPod(checkOf(resources), plainTeam, installation)).toMatchObject(template);
});

test('a team without limits has no quota, and none of the limits that a quota needs', () => {
  expect(teamQuota({ ...space, quota: {} })).toBeUndefined();
  expect(teamLimitRange({ ...space, quota: {} })).toBeUndefined();
});

test('no Pod has a volume while all its steps run in the worker image', () => {
  const text = JSON.stringify(buildOf([worker], strictTeam));
  expect(text).not.toMatch(/volume/i);
});
