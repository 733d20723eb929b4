import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { HookAction } from '#domain/pipeline/steps.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { hookContainersOf, planHooks } from './plan-hooks.ts';

const shell = (cmd: string): Command => ({ runner: 'shell', cmd });
const command = (run: Command): HookAction => ({ kind: 'command', run });
const notify: HookAction = {
  kind: 'notify',
  notification: 'pager.ops',
  params: { status: 'queued' },
};

const pipeline = (unit: HookAction[], publish: HookAction[] = []): Pipeline =>
  samplePipeline({
    resources: [resource('git.app'), resource('git.lib')],
    jobs: [
      { ...job('unit', get('git.app'), task('test')), onTrigger: unit },
      { ...job('publish', get('git.app', { passed: ['unit'] })), onTrigger: publish },
      { ...job('other', get('git.lib')), onTrigger: [command(shell('other'))] },
    ],
    notificationTypes: [
      {
        name: 'pager',
        builtIn: false,
        params: ['key'],
        notify: { runner: 'docker', image: 'pager:1', cmd: 'page' },
      },
    ],
    notifications: [
      { name: 'pager.ops', type: 'pager', label: 'ops', params: { key: 'k' }, message: 'soon', on: [] },
    ],
  });

const planFor = (definition: Pipeline, more: Partial<Parameters<typeof planHooks>[0]> = {}) =>
  planHooks({
    run: '9',
    team: 'main',
    name: 'app',
    pipeline: definition,
    resource: 'git.app',
    versions: [{ id: '7', fields: { ref: 'a' } }],
    leftMs: 29_500,
    ...more,
  });

describe('the plan of hooks', () => {
  test('gives a command the version, its job and nothing about builds', () => {
    const { hooks, checks, containers } = planFor(pipeline([command(shell('echo'))]));
    expect(checks).toEqual([]);
    expect(containers).toEqual([{ name: 'worker' }]);
    expect(hooks?.plans).toEqual([
      {
        id: '7.0',
        version: '7',
        job: 'unit',
        hook: 'shell',
        command: { container: 'worker', argv: ['/bin/sh', '-e'], script: 'echo' },
        env: {
          BUILD_JOB_NAME: 'unit',
          BUILD_PIPELINE_NAME: 'app',
          BUILD_TEAM_NAME: 'main',
          version_ref: 'a',
        },
      },
    ]);
  });

  test('sends a notification with the command of its type, both kinds of values and the message', () => {
    const { hooks, containers } = planFor(pipeline([], [notify]));
    expect(containers).toEqual([{ name: 'image-1-pager', image: 'pager:1' }]);
    expect(hooks?.plans).toMatchObject([
      {
        job: 'publish',
        hook: 'pager.ops',
        command: { container: 'image-1-pager', script: 'page' },
        env: { param_key: 'k', notify_status: 'queued', version_ref: 'a' },
        message: 'soon',
      },
    ]);
  });

  test('fills in the new version, even for a job that gets another resource', () => {
    const gate = get('image.store', { trigger: true, passed: ['unit'] });
    const ship = { ...job('ship', gate), onTrigger: [notify] };
    const others = pipeline([]);
    const definition = {
      ...others,
      resources: [...others.resources, resource('image.store')],
      jobs: [...others.jobs, ship],
    };
    const { hooks } = planFor(definition);
    expect(hooks?.plans).toMatchObject([{ job: 'ship', version: '7', env: { version_ref: 'a' } }]);
    expect(planFor(definition, { resource: 'image.store' }).hooks?.plans).toEqual([]);
  });

  test('prefers the message of the step', () => {
    const { hooks } = planFor(pipeline([{ ...notify, message: 'now' }]));
    expect(hooks?.plans[0]?.message).toBe('now');
  });

  test('orders hooks by version, then by the nearest job, then by the order of the file', () => {
    const definition = pipeline([command(shell('one')), notify], [command(shell('far'))]);
    const versions = ['7', '8'].map((id) => ({ id, fields: { ref: id } }));
    const { hooks } = planFor(definition, { versions });
    expect(hooks?.plans.map(({ version, job: name, hook }) => `${version} ${name} ${hook}`)).toEqual([
      '7 unit shell',
      '7 unit pager.ops',
      '7 publish shell',
      '8 unit shell',
      '8 unit pager.ops',
      '8 publish shell',
    ]);
  });

  test('omits hooks that run nothing', () => {
    const nothing = command({ runner: 'exec', path: '', args: [] });
    expect(planFor(pipeline([nothing])).hooks?.plans).toEqual([]);
    expect(hookContainersOf(pipeline([nothing]), 'git.app')).toEqual([]);
  });

  test.each([
    [29_500, 26],
    [4000, 1],
    [-5, 1],
  ])('if builds wait for %d ms more, gives the hooks %d s', (leftMs, seconds) => {
    expect(planFor(pipeline([notify]), { leftMs }).hooks?.seconds).toBe(seconds);
  });

  test('has a limited size, and reports how much was left out', () => {
    const versions = Array.from({ length: 100 }, (_, index) => ({ id: String(index), fields: {} }));
    const six = Array.from({ length: 6 }, () => command(shell('x')));
    const { hooks } = planFor(pipeline(six), { versions });
    expect(hooks?.plans).toHaveLength(500);
    expect(hooks?.leftOut).toBe(100);
  });
});
