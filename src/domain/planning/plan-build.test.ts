import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { checkContainersOf, containersOf } from './containers.ts';
import { planBuild, plannedSteps } from './plan-build.ts';
import { planChecks } from './plan-checks.ts';
import { stepsIn } from './plan-tree.ts';
import type { Plan, PlanCommand, PlanStep } from './plan.ts';
import { WORKDIR } from './workdir.ts';

const script = (cmd: string): Command => ({ runner: 'shell', cmd });
const docker = (image: string): Command => ({ runner: 'docker', image, cmd: 'make' });
const task = (name: string, run: Command): Step => ({ kind: 'task', name, run });

const git = {
  name: 'git',
  builtIn: true,
  params: ['url', 'name'],
  cache: true,
  check: script('git ls-remote'),
  pull: script('git clone'),
  push: script('git push'),
};
const cron = { name: 'cron', builtIn: true, params: [], cache: false };
const signal = { ...cron, name: 'trigger', origin: { source: 'svc://trigger' } };
const probe = {
  name: 'probe',
  builtIn: false,
  params: [],
  cache: false,
  check: { runner: 'exec', path: 'probe', args: ['-v', 'a b'] } satisfies Command,
  push: { runner: 'exec', path: '', args: [] } satisfies Command,
};

function pipeline(steps: Step[]): Pipeline {
  return {
    resourceTypes: [git, cron, signal, probe],
    resources: [
      resource('git', 'app', { url: 'https://host/app', name: 'app' }),
      resource('cron', 'nightly'),
      resource('trigger', 'released'),
      resource('probe', 'site', { url: 'https://site' }),
    ],
    jobs: [{ name: 'unit', steps }],
  };
}

function resource(
  type: string,
  label: string,
  params: Record<string, string> = {},
): Pipeline['resources'][number] {
  return { name: `${type}.${label}`, type, label, params, tags: [], cache: false };
}

const get = (type: string, name: string): Step => ({
  kind: 'get',
  name,
  resource: `${type}.${name}`,
  trigger: true,
  passed: [],
});

/** The plan of a job without groups and branches: `steps` are those of its tree. */
function plan(
  steps: Step[],
  versions: Record<string, string>[] = [],
): Omit<Plan, 'steps'> & { steps: PlanStep[] } {
  const build = { id: '7', team: 'main', pipeline: 'app', job: 'unit', number: '3', attempt: 1 };
  const planned = planBuild({ build, pipeline: pipeline(steps), versions });
  return { ...planned, steps: stepsIn(planned.steps) };
}

describe('the containers of a build', () => {
  const cases: Record<string, { steps: Step[]; containers: { name: string; image?: string }[] }> = {
    'are one worker for all commands without an image': {
      steps: [
        get('git', 'app'),
        task('a', script('true')),
        task('b', { runner: 'exec', path: 'x', args: [] }),
      ],
      containers: [{ name: 'worker' }],
    },
    'are one for each image, in order of appearance, after the worker': {
      steps: [
        task('a', docker('golang:1.22')),
        task('b', script('true')),
        task('c', docker('node')),
        task('d', docker('golang:1.22')),
      ],
      containers: [
        { name: 'worker' },
        { name: 'image-1-golang', image: 'golang:1.22' },
        { name: 'image-2-node', image: 'node' },
      ],
    },
    'have no worker if all steps have an image': {
      steps: [get('cron', 'nightly'), task('a', docker('host:5000/Team/My_App@sha256:0'))],
      containers: [{ name: 'image-1-my-app', image: 'host:5000/Team/My_App@sha256:0' }],
    },
    'have a valid name for an image without usable letters': {
      steps: [task('a', docker('___'))],
      containers: [{ name: 'image-1', image: '___' }],
    },
    'have a valid name for an image with a long name': {
      steps: [task('a', docker(`${'a'.repeat(39)}-b`))],
      containers: [{ name: `image-1-${'a'.repeat(39)}`, image: `${'a'.repeat(39)}-b` }],
    },
    'are none for a job that runs nothing': { steps: [get('cron', 'nightly')], containers: [] },
    'are one worker for a runner whose path is empty, so that its step can fail': {
      steps: [
        task('none', {
          runner: 'custom',
          name: 'none',
          path: '$path',
          args: [],
          attributes: { path: '' },
          callerArgs: [],
        }),
      ],
      containers: [{ name: 'worker' }],
    },
  };
  test.each(Object.entries(cases))('%s', (_name, { steps, containers }) => {
    expect(containersOf(pipeline(steps), 'unit')).toEqual(containers);
  });

  test('of checks are one worker for all commands without an image', () => {
    expect(checkContainersOf(pipeline([]), ['git.app', 'probe.site'])).toEqual([{ name: 'worker' }]);
  });
});

describe('the command of a step', () => {
  const cases: Record<string, { run: Command; command: PlanCommand }> = {
    'has the path and arguments of exec': {
      run: { runner: 'exec', path: 'make', args: ['-j', '$HOME'] },
      command: { container: 'worker', argv: ['make', '-j', '$HOME'] },
    },
    'has the templates of a runner filled from the calling block': {
      run: {
        runner: 'custom',
        name: 'ssh',
        path: 'ssh',
        args: ['$host', 'cd $WORKDIR;', '$args'],
        attributes: { host: 'a.example' },
        callerArgs: ['make', '$HOME'],
      },
      command: { container: 'worker', argv: ['ssh', 'a.example', `cd ${WORKDIR};`, 'make', '$HOME'] },
    },
    'runs in an image if an override moved it there': {
      run: { runner: 'docker', image: 'alpine', path: 'make', args: ['-j'] },
      command: { container: 'image-1-alpine', argv: ['make', '-j'] },
    },
    'is a script of the shell text that ends at the first failure': {
      run: script('make\nmake test'),
      command: { container: 'worker', argv: ['/bin/sh', '-e'], script: 'make\nmake test' },
    },
    'runs shell text with the given shell': {
      run: { runner: 'shell', cmd: 'make', shell: 'bash' },
      command: { container: 'worker', argv: ['bash', '-e'], script: 'make' },
    },
    'runs a file by its first line': {
      run: { runner: 'shell', file: 'ci/test.sh' },
      command: { container: 'worker', argv: ['ci/test.sh'], makeExecutable: true },
    },
    'runs a file with the given shell': {
      run: { runner: 'shell', file: 'ci/test.py', shell: 'python3' },
      command: { container: 'worker', argv: ['python3', 'ci/test.py'] },
    },
    'runs the text of docker with sh in the container of its image': {
      run: docker('golang'),
      command: { container: 'image-1-golang', argv: ['/bin/sh', '-e'], script: 'make' },
    },
  };
  test.each(Object.entries(cases))('%s', (_name, { run, command }) => {
    expect(plan([task('a', run)]).steps[0]?.command).toEqual(command);
  });
});

describe('the plan of a build', () => {
  const steps: Step[] = [
    get('git', 'app'),
    task('my unit', { runner: 'exec', path: 'make', args: ['a', 'b c'] }),
    get('cron', 'nightly'),
    { kind: 'put', name: 'app', resource: 'git.app', params: { tag: 'v1' } },
  ];
  const built = plan(steps, [{ ref: 'abc' }, { date: 'today' }]);
  const common = {
    WORKDIR,
    BUILD_NUMBER: '3',
    BUILD_JOB_NAME: 'unit',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_TEAM_NAME: 'main',
  };

  test('gives a get its resource and its version', () => {
    expect(built.steps[0]).toMatchObject({
      id: '0',
      kind: 'get',
      name: 'git.app',
      resource: 'git.app',
      exports: 'GET_APP_',
      version: { ref: 'abc' },
      env: { ...common, param_url: 'https://host/app', param_name: 'app', version_ref: 'abc' },
    });
  });

  test('gives a task the build and its runner’s values, but no version', () => {
    expect(built.steps[1]).toMatchObject({
      id: '1',
      kind: 'task',
      name: 'my unit',
      exports: 'TASK_MY_UNIT_',
    });
    expect(built.steps[1]?.env).toEqual({ ...common, path: 'make', args: 'a b c' });
  });

  test('sets the variables of the command, then those of the step, and always those of Millrace', () => {
    const run: Command = {
      runner: 'exec',
      path: 'make',
      args: [],
      env: { LEVEL: 'of the command', path: 'own', BUILD_NUMBER: '0' },
    };
    const { steps: planned } = plan([{ kind: 'task', name: 'b', run, env: { LEVEL: 'of the step', X: '' } }]);
    expect(planned[0]?.env).toEqual({ ...common, path: 'own', args: '', LEVEL: 'of the step', X: '' });
  });

  test('exports a get under the name of the step, and shows the name of its resource', () => {
    const step: Step = { kind: 'get', name: 'source', resource: 'git.app', trigger: true, passed: [] };
    const { steps: planned } = plan([step], [{ ref: 'abc' }]);
    expect(planned[0]).toMatchObject({ name: 'git.app', resource: 'git.app', exports: 'GET_SOURCE_' });
  });

  test('sets variables of gets and puts too, and none hides a parameter or version', () => {
    const env = { LEVEL: 'of the step', param_url: 'elsewhere', version_ref: 'no' };
    const step = get('git', 'app');
    const { steps: planned } = plan([Object.assign(step, { env })], [{ ref: 'abc' }]);
    expect(planned[0]?.env).toMatchObject({
      LEVEL: 'of the step',
      param_url: 'https://host/app',
      version_ref: 'abc',
    });
  });

  test('runs nothing for a get of a type without pull, and uses its version', () => {
    expect(built.steps[2]).toMatchObject({
      id: '2',
      name: 'cron.nightly',
      exports: 'GET_NIGHTLY_',
      version: { date: 'today' },
    });
    expect(built.steps[2]).not.toHaveProperty('command');
  });

  test('gives a put its params, its resource and the version that the build got', () => {
    expect(built.steps[3]).toMatchObject({
      id: '3',
      kind: 'put',
      name: 'git.app',
      resource: 'git.app',
      params: { tag: 'v1' },
    });
    expect(built.steps[3]?.env).toEqual({
      ...common,
      param_url: 'https://host/app',
      param_name: 'app',
      version_ref: 'abc',
      put_tag: 'v1',
    });
    expect(built.steps[3]).not.toHaveProperty('exports');
  });

  test('names the build in the params of a put of a trigger, whatever the step sets', () => {
    const params = { tag: 'v1', trigger_build: 'forged' };
    const putOfTrigger: Step = { kind: 'put', name: 'released', resource: 'trigger.released', params };
    const { steps: planned, build } = plan([putOfTrigger]);
    expect(planned[0]?.params).toEqual({
      tag: 'v1',
      trigger_pipeline: build.pipeline,
      trigger_job: build.job,
      trigger_build: build.number,
    });
    expect(planned[0]).not.toHaveProperty('command');
  });

  test('gives a task the events of its build, and no other versions', () => {
    const event = get('trigger', 'released');
    const others = [get('git', 'app'), get('cron', 'nightly')];
    const jobSteps = [
      event,
      task('first', script('true')),
      { ...event },
      ...others,
      task('second', script('true')),
    ];
    const versions = [{ tag: 'v1', note: 'x' }, { tag: 'v2' }, { ref: 'abc' }, { date: 'today' }];
    const { steps: planned } = plan(jobSteps, versions);
    const seen = planned
      .filter(({ kind }) => kind === 'task')
      .map(({ env }) => Object.entries(env).filter(([name]) => name.startsWith('version_')));
    expect(seen).toEqual([
      [
        ['version_tag', 'v1'],
        ['version_note', 'x'],
      ],
      [
        ['version_tag', 'v2'],
        ['version_note', 'x'],
      ],
    ]);
  });

  test('has the same steps as the record that is made before versions are chosen', () => {
    expect(plannedSteps(pipeline(steps), 'unit')).toEqual(
      built.steps.map(({ id, kind, name, resource: resourceName }) => ({
        id,
        kind,
        name,
        ...(resourceName === undefined ? {} : { resource: resourceName }),
      })),
    );
  });

  test('is refused if the versions do not match the gets', () => {
    expect(() => plan(steps, [{ ref: 'abc' }])).toThrow('job unit has 2 gets, but 1 versions were chosen');
  });

  test('is plain data', () => {
    expect(JSON.parse(JSON.stringify(built))).toEqual(built);
  });
});

test('the plan of checks has their resource and the last version, and nothing about builds', () => {
  const run = planChecks({
    run: '9',
    team: 'main',
    name: 'app',
    pipeline: pipeline([]),
    checks: [
      { scope: '1', resource: 'git.app', last: { ref: 'abc' } },
      { scope: '2', resource: 'probe.site' },
    ],
  });
  expect(run).toMatchObject({ run: '9', containers: [{ name: 'worker' }] });
  expect(run.checks).toEqual([
    {
      scope: '1',
      resource: 'git.app',
      command: { container: 'worker', argv: ['/bin/sh', '-e'], script: 'git ls-remote' },
      env: {
        BUILD_PIPELINE_NAME: 'app',
        BUILD_TEAM_NAME: 'main',
        param_url: 'https://host/app',
        param_name: 'app',
        version_ref: 'abc',
      },
      timeoutSeconds: 300,
    },
    {
      scope: '2',
      resource: 'probe.site',
      command: { container: 'worker', argv: ['probe', '-v', 'a b'] },
      env: {
        BUILD_PIPELINE_NAME: 'app',
        BUILD_TEAM_NAME: 'main',
        path: 'probe',
        args: '-v a b',
        param_url: 'https://site',
      },
      timeoutSeconds: 300,
    },
  ]);
});
