import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Input, Pipeline } from '#domain/pipeline/pipeline.ts';
import type { HookAction, Hooks, Step } from '#domain/pipeline/steps.ts';
import { resource } from '#testing/pipelines/sample-pipeline.ts';
import { planBuild } from './plan-build.ts';
import { planChecks } from './plan-checks.ts';
import { planHooks } from './plan-hooks.ts';

const shell = (cmd: string): Command => ({ runner: 'shell', cmd });
const INPUTS: Input[] = [
  { name: 'environment', type: 'string', required: true, default: '' },
  { name: 'dry-run', type: 'bool', default: 'false' },
];
const VALUES = { INPUT_ENVIRONMENT: 'prod "1"', INPUT_DRY_RUN: 'false' };

const put: HookAction = { kind: 'put', name: 'git.app', resource: 'git.app', params: {} };
const task: Step & { kind: 'task' } = { kind: 'task', name: 'task', run: shell('task') };
const notify: HookAction = { kind: 'notify', notification: 'pager.ops', params: {} };
const hooks: Hooks = {
  onSuccess: [
    { kind: 'command', run: shell('hook') },
    { ...task, name: 'task of a hook' },
  ],
  onFailure: [put],
  ensure: [notify],
};
const steps: Step[] = [
  { kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [], hooks },
  { ...task, hooks },
  put,
  notify,
  { kind: 'service', type: 'own', params: {} },
  { kind: 'parallel', failFast: false, steps: [{ ...task, name: 'task of a group' }] },
  {
    kind: 'branch',
    branches: [
      { name: 'then', condition: '$INPUT_DRY_RUN == false', steps: [{ ...task, name: 'task of a branch' }] },
    ],
  },
];

const pipeline: Pipeline = {
  resourceTypes: [
    {
      name: 'git',
      builtIn: false,
      params: [],
      check: shell('check'),
      pull: shell('pull'),
      push: shell('push'),
      cache: false,
    },
  ],
  resources: [resource('git.app')],
  notificationTypes: [{ name: 'pager', builtIn: false, params: [], notify: shell('send') }],
  notifications: [{ name: 'pager.ops', type: 'pager', label: 'ops', params: {}, on: ['failure'] }],
  serviceTypes: [
    {
      name: 'own',
      builtIn: false,
      params: [],
      start: shell('start'),
      stop: shell('stop'),
      ready: { check: shell('ready'), intervalSeconds: 1, timeoutSeconds: 60 },
    },
  ],
  jobs: [
    { name: 'deploy', inputs: INPUTS, steps, hooks, onTrigger: [{ kind: 'command', run: shell('early') }] },
  ],
};

/** The scripts of a plan, each with the values of inputs that it sees. */
function seenInputs(value: unknown): [script: unknown, inputs: Record<string, unknown>][] {
  if (Array.isArray(value)) return value.flatMap(seenInputs);
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(seenInputs);
  if (!('command' in value) || !('env' in value)) return inside;
  const inputs = Object.entries(Object(value.env)).filter(([name]) => name.startsWith('INPUT_'));
  return [[Object(value.command).script, Object.fromEntries(inputs)], ...inside];
}

const build = { id: '7', team: 'main', pipeline: 'app', job: 'deploy', number: '3', attempt: 1 };
const plan = planBuild({ build, pipeline, versions: [{ ref: 'a' }], inputs: { environment: 'prod "1"' } });

describe('the values of inputs are seen', () => {
  test.each(['pull', 'task', 'push', 'send', 'hook', 'start', 'stop', 'ready'])('by each %s', (script) => {
    const runs = seenInputs(plan).filter(([seenScript]) => seenScript === script);
    expect(runs.length).toBeGreaterThan(0);
    for (const [, inputs] of runs) expect(inputs).toEqual(VALUES);
  });

  test('by everything in the plan of a build, and by conditions', () => {
    expect(new Set(seenInputs(plan).map(([script]) => script)).size).toBe(8);
    expect(plan.variables).toMatchObject(VALUES);
  });

  test('by no check, and by no hook of a new version', () => {
    const common = { run: '9', team: 'main', name: 'app', pipeline };
    const checks = planChecks({ ...common, checks: [{ scope: '1', resource: 'git.app' }] });
    const early = planHooks({
      ...common,
      resource: 'git.app',
      versions: [{ id: '7', fields: { ref: 'a' } }],
      leftMs: 10_000,
    });
    expect(seenInputs([checks, early]).map(([script]) => script)).toEqual(['check', 'early']);
    expect(JSON.stringify([checks, early])).not.toContain('INPUT_');
  });
});
