import { expect, test } from '@jest/globals';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { findOperation, markOperations, secretNamesOf } from './operations.ts';
import type { CheckRun, Plan, PlanStep } from './plan.ts';

const token = makeSecretPlaceholder('token');
const other = makeSecretPlaceholder('other');
const step = (id: string, script: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: {},
  command: { container: 'worker', argv: [], script },
  ...more,
});
const service = (id: string, start: string): Plan['services'][number] => ({
  id,
  name: id,
  start: { command: { container: 'worker', argv: [start] }, env: {}, staysInForeground: false },
});

const planOf = (secret: string): Plan => ({
  format: 3,
  build: { id: '1', team: 'main', pipeline: 'app', job: 'unit', number: '1', attempt: 1 },
  containers: [],
  workdir: '/work',
  timeoutSeconds: 1,
  variables: {},
  services: [service('service.0', secret), service('service.1', 'x')],
  steps: [
    step('0', 'x', {
      hooks: { onFailure: [step('0.on_failure.0', secret)], ensure: [step('0.ensure.0', other)] },
    }),
    {
      id: '1',
      kind: 'parallel',
      failFast: false,
      steps: [step('1.0', 'x'), step('1.1', 'x', { env: { A: secret } })],
    },
    {
      id: '2',
      kind: 'branches',
      branches: [
        {
          id: '2.0',
          name: 'else',
          services: [service('2.0.service.0', secret)],
          steps: [step('2.0.0', secret)],
        },
      ],
    },
  ],
  hooks: { ensure: [step('ensure.0', secret)] },
  notifications: [{ on: ['failure'], step: step('notification.0', secret, { kind: 'notify' }) }],
});

/** Ids of all marked operations at any depth. */
function marked(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const ownId = 'needsSecrets' in value && 'id' in value ? [String(value.id)] : [];
  return [...ownId, ...Object.values(value).flatMap(marked)];
}

const OPERATIONS_WITH_TOKEN = [
  '0.on_failure.0',
  '1.1',
  '2.0.0',
  '2.0.service.0',
  'ensure.0',
  'notification.0',
  'service.0',
];

test('only operations that name a secret are marked', () => {
  const plan = markOperations(planOf(''), planOf(token));
  expect(marked(plan).toSorted()).toEqual([...OPERATIONS_WITH_TOKEN, '0.ensure.0'].toSorted());
});

test('a text from outside that looks like a placeholder marks nothing', () => {
  expect(marked(markOperations(planOf(token), planOf('')))).toEqual(['0.ensure.0']);
});

test.each(OPERATIONS_WITH_TOKEN)('the operation %s is found, with the secrets that it names', (id) => {
  const operation = findOperation(planOf(token), id);
  expect(operation && secretNamesOf(operation)).toEqual(['token']);
});

test('the secrets of a step do not include those of its hooks', () => {
  const operation = findOperation(planOf(token), '0');
  expect(operation && secretNamesOf(operation)).toEqual([]);
});

test('checks and hooks of new versions are marked and found, too', () => {
  const command = { container: 'worker', argv: [] };
  const runOf = (...scripts: string[]): CheckRun => {
    const plans = scripts.map((script, index) => ({
      id: `7.${index}`,
      version: '7',
      job: 'unit',
      hook: 'shell',
      command: { ...command, script },
      env: {},
    }));
    const checks = scripts.map((script, index) => ({
      scope: String(index),
      resource: 'git.app',
      command: { ...command, script },
      env: {},
      timeoutSeconds: 1,
    }));
    const hooks = { workdir: '/', seconds: 1, plans, leftOut: 0 };
    return { format: 2, run: '1', containers: [], checks, hooks };
  };
  const run = markOperations(runOf('a', 'b'), runOf('a', token));
  expect(run.hooks?.plans.map(({ needsSecrets }) => needsSecrets)).toEqual([undefined, true]);
  expect(run.checks.map(({ needsSecrets }) => needsSecrets)).toEqual([undefined, true]);
  expect(findOperation(run, '7.1')).toMatchObject({ command: { script: 'b' } });
  expect(findOperation(run, '1')).toMatchObject({ scope: '1' });
});
