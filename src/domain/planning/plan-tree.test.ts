import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { containersOf } from './containers.ts';
import { planBuild, plannedSteps } from './plan-build.ts';

const shell = (cmd: string): Command => ({ runner: 'shell', cmd });
const docker = (image: string): Command => ({ runner: 'docker', image, cmd: 'make' });
const task = (name: string, run: Command = shell('true')): Step & { kind: 'task' } => ({
  kind: 'task',
  name,
  run,
});

function pipeline(steps: Step[], more: Partial<Pipeline['jobs'][number]> = {}): Pipeline {
  return {
    resourceTypes: [],
    resources: [],
    jobs: [{ name: 'unit', steps, ...more }],
    notificationTypes: [{ name: 'slack', builtIn: true, params: [], notify: shell('send') }],
    notifications: [
      {
        name: 'slack.ops',
        type: 'slack',
        label: 'ops',
        params: { url: 'u' },
        message: 'text',
        on: ['failure'],
      },
      { name: 'slack.other', type: 'slack', label: 'other', params: {}, on: ['success'], jobs: ['other'] },
    ],
    serviceTypes: [
      {
        name: 'postgresql',
        builtIn: true,
        params: ['version'],
        start: docker('postgres:${param_version:-18}'),
        stop: { runner: 'exec', path: '', args: [] },
        ready: { check: docker('postgres:${param_version:-18}'), intervalSeconds: 1, timeoutSeconds: 60 },
      },
    ],
  };
}

const build = { id: '7', team: 'main', pipeline: 'app', job: 'unit', number: '3', attempt: 1 };
const plan = (steps: Step[], more: Partial<Pipeline['jobs'][number]> = {}) =>
  planBuild({ build, pipeline: pipeline(steps, more), versions: [] });

const parallel = (steps: (Step & { kind: 'task' })[], limit?: number): Step => ({
  kind: 'parallel',
  failFast: false,
  steps,
  ...(limit === undefined ? {} : { limit }),
});
const names = (steps: Step[]): string[] => containersOf(pipeline(steps), 'unit').map(({ name }) => name);

describe('containers of parallel steps', () => {
  test.each<[what: string, steps: Step[], containers: string[]]>([
    [
      'are one for each step of an image',
      [parallel([task('a'), task('b'), task('c', docker('go'))]), task('d')],
      ['worker', 'worker-lane-2', 'image-1-go'],
    ],
    [
      'are no more than the limit',
      [parallel([task('a'), task('b'), task('c')], 2)],
      ['worker', 'worker-lane-2'],
    ],
    [
      'are as many as the largest group needs',
      [parallel([task('a'), task('b')]), parallel([task('c'), task('d')])],
      ['worker', 'worker-lane-2'],
    ],
    [
      'are no more than eight',
      [parallel(Array.from({ length: 20 }, (_, index) => task(String(index))))],
      ['worker', ...Array.from({ length: 7 }, (_, index) => `worker-lane-${index + 2}`)],
    ],
  ])('%s', (_what, steps, containers) => {
    // The notification of the job runs in the worker, too, so each job has one.
    expect(names(steps)).toEqual(containers);
  });
});

const timeoutWith = (jobSeconds: number | undefined, teamSeconds?: number) =>
  planBuild({
    build,
    pipeline: pipeline([], jobSeconds === undefined ? {} : { timeoutSeconds: jobSeconds }),
    versions: [],
    ...(teamSeconds === undefined ? {} : { defaultTimeoutSeconds: teamSeconds }),
  }).timeoutSeconds;

describe('the plan of a job', () => {
  const hooks = { onFailure: [{ kind: 'command' as const, run: shell('undo') }] };
  const steps: Step[] = [
    { kind: 'service', type: 'postgresql', timeoutSeconds: 90, params: { version: '17' } },
    { ...task('a'), attempts: 3, timeoutSeconds: 60, hooks },
    { kind: 'parallel', failFast: true, limit: 2, steps: [task('b'), task('c')] },
    {
      kind: 'branch',
      branches: [
        { condition: '$BUILD_NUMBER == 1', steps: [task('d')] },
        { steps: [{ kind: 'service', type: 'postgresql', params: {} }, task('e')] },
      ],
    },
    { kind: 'notify', notification: 'slack.ops', params: { level: 'high' }, message: 'own' },
  ];

  test.each([
    [{ url: 'u' }, undefined],
    [{ base_url: '' }, undefined],
    [{ base_url: 'https://ci.example/' }, 'https://ci.example/teams/main/pipelines/app/jobs/unit/builds/3'],
  ])('gives notifications with the parameters %j the page of the build: %s', (params, url) => {
    const sample = pipeline(steps);
    const notifications = (sample.notifications ?? []).map((notification) => ({ ...notification, params }));
    const changed = { ...sample, notifications };
    const planned = planBuild({ build, pipeline: changed, versions: [], previousOutcome: 'failed' });
    expect(planned.notifications.map(({ step }) => step.env['BUILD_URL'])).toEqual([url]);
    expect(planned.previousOutcome).toBe('failed');
  });

  test('is recorded as a tree, in the order in which its parts may run', () => {
    const records = plannedSteps(
      pipeline(steps, { hooks: { ensure: [{ kind: 'command', run: shell('x') }] } }),
      'unit',
    );
    expect(
      records.map(({ id, kind, name, parent = '', hook = '' }) =>
        [id, kind, name, parent, hook].join(' ').trimEnd(),
      ),
    ).toEqual([
      'service.0.start service postgresql:start',
      'service.0.ready service postgresql:ready',
      '0 task a',
      '0.on_failure.0 command shell 0 on_failure',
      '1 parallel in_parallel',
      '1.0 task b 1',
      '1.1 task c 1',
      '2.0 branch $BUILD_NUMBER == 1',
      '2.0.0 task d 2.0',
      '2.1 branch else',
      'service.1.start service postgresql-2:start 2.1',
      'service.1.ready service postgresql-2:ready 2.1',
      '2.1.0 task e 2.1',
      '3 notify slack.ops',
      'ensure.0 command shell  ensure',
      'service.1.stop service postgresql-2:stop',
      'service.0.stop service postgresql:stop',
      'notification.0 notify slack.ops',
    ]);
  });

  test('gives services a container each, with their image filled in', () => {
    expect(plan(steps).containers.filter(({ service }) => service !== undefined)).toEqual([
      { name: 'service-1-postgresql', image: 'postgres:17', service: 'postgresql' },
      { name: 'service-2-postgresql-2', image: 'postgres:18', service: 'postgresql-2' },
    ]);
    const [service] = plan(steps).services;
    expect(service).toMatchObject({
      id: 'service.0',
      timeoutSeconds: 90,
      start: {
        staysInForeground: true,
        command: { container: 'service-1-postgresql' },
        env: { param_version: '17' },
      },
      ready: { command: { container: 'service-1-postgresql' }, timeoutSeconds: 60 },
    });
    expect(service).not.toHaveProperty('stop');
  });

  test('keeps attempts, limits and hooks with their step', () => {
    const [a, group] = plan(steps).steps;
    expect(a).toMatchObject({
      attempts: 3,
      timeoutSeconds: 60,
      hooks: { onFailure: [{ id: '0.on_failure.0' }] },
    });
    expect(group).toMatchObject({ kind: 'parallel', failFast: true, limit: 2 });
  });

  test('keeps attempts and limits of the steps in hooks', () => {
    const taskInHook = { ...task('undo'), attempts: 3, timeoutSeconds: 60 };
    const notifyInHook = { kind: 'notify' as const, notification: 'slack.ops', params: {}, attempts: 2 };
    const limitedHooks = {
      onFailure: [taskInHook],
      ensure: [notifyInHook, { kind: 'command' as const, run: shell('x') }],
    };
    const { hooks: ofJob, steps: nodes } = plan([{ ...task('a'), hooks: limitedHooks }], {
      hooks: limitedHooks,
    });
    const limits = { onFailure: [{ attempts: 3, timeoutSeconds: 60 }], ensure: [{ attempts: 2 }, {}] };
    expect([ofJob, nodes[0]]).toMatchObject([limits, { hooks: limits }]);
    expect(ofJob?.ensure?.[1]).not.toHaveProperty('attempts');
  });

  test('has the variables of a notification and its message', () => {
    const { steps: nodes, notifications } = plan(steps);
    expect(nodes.at(-1)).toMatchObject({ message: 'own', env: { param_url: 'u', notify_level: 'high' } });
    expect(notifications).toMatchObject([
      { on: ['failure'], step: { message: 'text', env: { param_url: 'u' } } },
    ]);
  });

  test('has the timeout of the job, otherwise of the Team, otherwise six hours', () => {
    expect([timeoutWith(60, 120), timeoutWith(undefined, 120), timeoutWith(undefined)]).toEqual([
      60, 120, 21_600,
    ]);
  });

  test('gives every step the inputs of the build, and names the lists among them for conditions', () => {
    const inputs = [
      { name: 'env', type: 'string' as const, default: 'dev' },
      { name: 'parts', type: 'list' as const, default: 'a,b', options: [] },
    ];
    const { steps: nodes, listVariables } = planBuild({
      build,
      pipeline: pipeline([task('a')], { inputs }),
      versions: [],
      inputs: { env: 'prod' },
    });
    expect(nodes[0]).toMatchObject({ env: { INPUT_ENV: 'prod', INPUT_PARTS: 'a,b' } });
    expect(listVariables).toEqual(['INPUT_PARTS']);
  });
});
