import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { containersOf } from './containers.ts';
import { fillEntrypoints, imagesToLookUp } from './fill-entrypoints.ts';
import { planBuild } from './plan-build.ts';
import { stepsIn } from './plan-tree.ts';

const entrypoint = (image: string): Command => ({ runner: 'docker', image, entrypoint: true });
const script = (image: string): Command => ({ runner: 'docker', image, cmd: 'make' });
const program = (image: string): Command => ({ runner: 'docker', image, path: '/tool', args: ['a'] });
const worker: Command = { runner: 'shell', cmd: 'true' };

const task = (name: string, run: Command): Step & { kind: 'task' } => ({ kind: 'task', name, run });

function pipeline(steps: Step[]): Pipeline {
  const start = entrypoint('db:${param_version:-18}');
  const stop: Command = { runner: 'exec', path: '', args: [] };
  return {
    resourceTypes: [],
    resources: [],
    jobs: [{ name: 'unit', steps }],
    serviceTypes: [{ name: 'db', builtIn: false, params: ['version'], start, stop }],
  };
}

const build = { id: '7', team: 'main', pipeline: 'app', job: 'unit', number: '3', attempt: 1 };
const plan = (...steps: Step[]) => planBuild({ build, pipeline: pipeline(steps), versions: [] });

const needs = (...commands: Command[]): object[] =>
  containersOf(pipeline(commands.map((command, index) => task(`t${index}`, command))), 'unit').map(
    ({ withoutShell = false, runsEntrypoint = false }) => ({ withoutShell, runsEntrypoint }),
  );

describe('the images of a Pod', () => {
  const none = { withoutShell: false, runsEntrypoint: false };
  const rows: Record<string, [commands: Command[], containers: object[]]> = {
    'need a shell for a script': [[script('a')], [none]],
    'need no shell for a program': [[program('a')], [{ withoutShell: true, runsEntrypoint: false }]],
    'need no shell for their entrypoint': [[entrypoint('a')], [{ withoutShell: true, runsEntrypoint: true }]],
    'need a shell if any command is a script': [
      [entrypoint('a'), script('a')],
      [{ withoutShell: false, runsEntrypoint: true }],
    ],
    'have needs that do not depend on other images': [
      [worker, script('a'), entrypoint('b')],
      [none, none, { withoutShell: true, runsEntrypoint: true }],
    ],
  };
  test.each(Object.entries(rows))('%s', (_name, [commands, containers]) => {
    expect(needs(...commands)).toEqual(containers);
  });
});

describe('the entrypoints of a plan', () => {
  const parallel: Step = {
    kind: 'parallel',
    failFast: false,
    steps: [task('one', entrypoint('a')), task('two', entrypoint('a'))],
  };
  const allSteps = plan(
    { kind: 'service', type: 'db', params: { version: '17' } },
    task('first', entrypoint('b')),
    parallel,
    task('last', script('c')),
  );

  test('are those of its steps and services, each once', () => {
    expect(imagesToLookUp(allSteps)).toEqual(['b', 'a', 'db:17']);
    expect(imagesToLookUp(plan(task('t', worker), task('u', program('a'))))).toEqual([]);
  });

  test('are filled in only into commands that run an entrypoint', () => {
    const entrypoints = { a: ['/a', 'x'], b: ['/b'], 'db:17': ['postgres'] };
    const filled = fillEntrypoints(allSteps, entrypoints);
    const commands = stepsIn(filled.steps).map(({ name, command }) => [name, command?.argv]);
    expect(commands).toEqual([
      ['first', ['/b']],
      ['one', ['/a', 'x']],
      ['two', ['/a', 'x']],
      ['last', ['/bin/sh', '-e']],
    ]);
    expect(filled.services[0]?.start?.command.argv).toEqual(['postgres']);
    const unfilled = fillEntrypoints(filled, {});
    expect(unfilled).toEqual(filled);
  });

  test('must all be known', () => {
    expect(() => fillEntrypoints(allSteps, { a: ['/a'], b: ['/b'] })).toThrow('image db:17 is not known');
    expect(() => fillEntrypoints(plan(task('t', entrypoint('constructor'))), {})).toThrow('is not known');
  });
});
