import { describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { getsOf, type Step } from '#domain/pipeline/steps.ts';
import { fillEntrypoints } from './fill-entrypoints.ts';
import { findOperation, markOperations } from './operations.ts';
import { planBuild } from './plan-build.ts';
import { checkPodContainersOf, planChecks } from './plan-checks.ts';
import { stepsIn } from './plan-tree.ts';
import type { Plan, PlanStep } from './plan.ts';

const program = (file: string) => ({
  runner: 'docker' as const,
  image: 'registry/files:1',
  path: `/opt/resource/${file}`,
  args: [],
});
const files: ResourceType = {
  name: 'files',
  builtIn: false,
  params: [],
  cache: false,
  protocol: 'concourse',
  check: program('check'),
  pull: program('in'),
  push: program('out'),
};
const token = makeSecretPlaceholder('token');

const resource = (label: string, source: object) => ({
  name: `files.${label}`,
  type: 'files',
  label,
  params: {},
  source: { ...source },
  tags: [],
  cache: false,
});

function pipelineOf(steps: Step[]): Pipeline {
  return {
    resourceTypes: [files],
    resources: [
      resource('app', { uri: 'https://host', deep: { token, list: [1, true] }, container: 'x', argv: [] }),
      resource('docs', {}),
    ],
    jobs: [{ name: 'unit', steps }],
  };
}

const get = (label: string, more: object = {}): Step => ({
  kind: 'get',
  name: label,
  resource: `files.${label}`,
  trigger: false,
  passed: [],
  ...more,
});
const put = (label: string, more: object = {}): Step => ({
  kind: 'put',
  name: label,
  resource: `files.${label}`,
  params: {},
  ...more,
});

function plan(steps: Step[], more: { externalUrl?: string } = {}): Plan {
  const build = { id: '9', team: 'web', pipeline: 'shop', job: 'unit', number: '7', attempt: 1 };
  const gets = getsOf(steps);
  return planBuild({ build, pipeline: pipelineOf(steps), versions: gets.map(() => ({ ref: 'a' })), ...more });
}

const inputOf = ({ call }: Partial<PlanStep>): unknown => JSON.parse(call?.input ?? 'null');

describe('the plan of a type with a protocol', () => {
  test('calls the program in with the directory of the get, and passes source, version and params', () => {
    const [step] = stepsIn(
      plan([get('app', { protocolParams: { depth: 1 }, env: { HTTPS_PROXY: 'p' } })]).steps,
    );
    expect(step).toMatchObject({
      command: { container: 'resource-1-files-app', argv: ['/opt/resource/in', '/workdir/app'] },
      call: { folder: '/workdir/app' },
      version: { ref: 'a' },
      exports: 'GET_APP_',
    });
    expect(inputOf(step ?? {})).toEqual({
      source: { uri: 'https://host', deep: { token, list: [1, true] }, container: 'x', argv: [] },
      version: { ref: 'a' },
      params: { depth: 1 },
    });
    expect(step?.env).toEqual({
      HTTPS_PROXY: 'p',
      BUILD_ID: '9',
      BUILD_NAME: '7',
      BUILD_JOB_NAME: 'unit',
      BUILD_PIPELINE_NAME: 'shop',
      BUILD_TEAM_NAME: 'web',
    });
  });

  test('calls the program out with the work directory, and passes source and params', () => {
    const [step] = stepsIn(plan([put('docs', { protocolParams: { file: 'x' } })]).steps);
    expect(step?.command?.argv).toEqual(['/opt/resource/out', '/workdir']);
    expect(inputOf(step ?? {})).toEqual({ source: {}, params: { file: 'x' } });
    expect(step?.call).not.toHaveProperty('folder');
  });

  test('passes the addresses of the installation and of the build, if the installation has one', () => {
    const [step] = stepsIn(plan([get('app')], { externalUrl: 'https://ci' }).steps);
    expect(step?.env).toMatchObject({
      ATC_EXTERNAL_URL: 'https://ci',
      BUILD_URL: 'https://ci/teams/web/pipelines/shop/jobs/unit/builds/7',
    });
  });

  test('does not change the variables of hooks', () => {
    const hooks = { onFailure: [{ kind: 'command', run: { runner: 'shell', cmd: 'x' } }, put('docs')] };
    const [step] = stepsIn(plan([get('app', { hooks })]).steps);
    expect(step?.hooks?.onFailure?.[0]?.env).toMatchObject({ BUILD_NUMBER: '7', WORKDIR: '/workdir' });
    expect(step?.hooks?.onFailure?.[1]).toMatchObject({
      command: { container: 'resource-2-files-docs', argv: ['/opt/resource/out', '/workdir'] },
      call: { input: '{"source":{},"params":{}}' },
    });
  });

  test('has a valid directory for any name of a get', () => {
    const folders = ['app["a b"]', '..', 'x/../../y'].map((name) => {
      const [step] = stepsIn(plan([get('app', { name })]).steps);
      return step?.call?.folder;
    });
    expect(folders).toEqual(['/workdir/app-5B-22a-20b-22-5D', '/workdir/_..', '/workdir/x-2F..-2F..-2Fy']);
  });

  test('gives each resource its own container, and one for each parallel step of a group', () => {
    const task: Step = {
      kind: 'task',
      name: 'same',
      run: { runner: 'docker', image: 'registry/files:1', cmd: 'ls' },
    };
    const group: Step = {
      kind: 'parallel',
      failFast: false,
      steps: [get('docs'), put('docs')].flatMap(getOrPut),
    };
    const { containers, steps } = plan([get('app'), task, group, put('app')]);
    const imageFields = { image: 'registry/files:1', withoutShell: true };
    expect(containers).toEqual([
      { name: 'image-1-files', image: 'registry/files:1' },
      { name: 'resource-1-files-app', ...imageFields, resource: 'files.app' },
      {
        name: 'resource-2-files-docs',
        ...imageFields,
        resource: 'files.docs',
        pool: 'resource-2-files-docs',
      },
      {
        name: 'resource-2-files-docs-lane-2',
        ...imageFields,
        resource: 'files.docs',
        pool: 'resource-2-files-docs',
      },
    ]);
    expect(stepsIn(steps).map(({ command }) => command?.container)).toEqual([
      'resource-1-files-app',
      'image-1-files',
      'resource-2-files-docs',
      'resource-2-files-docs',
      'resource-1-files-app',
    ]);
  });

  test('marks steps that need secrets, and does not take values of a source for commands', () => {
    const unmarked = plan([get('app'), get('docs')]);
    const marked = markOperations(unmarked, unmarked);
    expect(stepsIn(marked.steps).map(({ needsSecrets }) => needsSecrets)).toEqual([true, undefined]);
    expect(findOperation(fillEntrypoints(marked, {}), '0')).toEqual(findOperation(marked, '0'));
  });
});

const getOrPut = (step: Step) => (step.kind === 'get' || step.kind === 'put' ? [step] : []);

describe('the check of a type with a protocol', () => {
  const pipeline = pipelineOf([]);
  const planned = planChecks({
    run: '1',
    team: 'web',
    name: 'shop',
    pipeline,
    checks: [
      { scope: '1', resource: 'files.app', last: { ref: 'b' } },
      { scope: '2', resource: 'files.docs' },
    ],
  });

  test('passes the last version, and none at the first check', () => {
    expect(planned.checks.map(({ call }) => JSON.parse(call?.input ?? ''))).toEqual([
      { source: expect.objectContaining({ uri: 'https://host' }), version: { ref: 'b' } },
      { source: {} },
    ]);
  });

  test('sees only team and pipeline, and runs without arguments in its own directory', () => {
    expect(planned.checks[0]).toMatchObject({
      env: { BUILD_TEAM_NAME: 'web', BUILD_PIPELINE_NAME: 'shop' },
      command: { container: 'resource-1-files-app', argv: ['/opt/resource/check'] },
    });
    expect(planned.checks[0]).not.toHaveProperty('workdir');
  });

  test('runs in a separate container for each resource', () => {
    const names = pipeline.resources.map(({ name }) => name);
    expect(checkPodContainersOf(pipeline, names).map(({ name }) => name)).toEqual([
      'resource-1-files-app',
      'resource-2-files-docs',
    ]);
  });
});
