import { describe, expect, test } from '@jest/globals';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { applyChoicesToPlan, type LocalChoices } from './apply-choices.ts';

const command = { container: 'image-1-go', argv: ['run'] };

const get: PlanStep = {
  id: '0',
  kind: 'get',
  name: 'git.app',
  resource: 'git.app',
  exports: 'GET_APP_',
  env: { param_name: 'source' },
  attempts: 2,
  command,
};
const put: PlanStep = {
  id: '1',
  kind: 'put',
  name: 'git.app',
  resource: 'git.app',
  params: { "it's": '$TASK_A_KEY' },
  env: { "put_it's": '$TASK_A_KEY' },
  refusal: 'The secret token has no value.',
  command,
};
const notify: PlanStep = { id: '2', kind: 'notify', name: 'chat.ops', env: {}, message: 'hi', command };
const task: PlanStep = {
  id: '3',
  kind: 'task',
  name: 'unit',
  env: {},
  command: { container: 'worker', argv: ['make'] },
};

const planOf = (steps: Plan['steps'], more: Partial<Plan> = {}): Plan => ({
  format: 3,
  build: { id: '1', team: 'local', pipeline: 'app', job: 'unit', number: '1', attempt: 1 },
  containers: [{ name: 'image-1-go', image: 'go' }],
  workdir: '/work',
  timeoutSeconds: 60,
  services: [],
  steps,
  notifications: [],
  variables: {},
  ...more,
});

const noChoices: LocalChoices = { folders: new Map(), gitResources: new Set(), put: false, notify: false };
const choose = (steps: Plan['steps'], choices: Partial<LocalChoices> = {}, more: Partial<Plan> = {}) =>
  applyChoicesToPlan(planOf(steps, more), { ...noChoices, ...choices });

describe('a get', () => {
  test('of a resource with a local directory copies it, and keeps its attempts and exports', () => {
    const { plan } = choose([get], { folders: new Map([['git.app', '/home/ada/app']]) });
    expect(plan.steps).toEqual([
      { ...get, command: { container: 'worker', argv: expect.arrayContaining(['/home/ada/app', '.']) } },
    ]);
  });

  test('of git copies it into the directory that the resource names', () => {
    const folders = new Map([['git.app', '/home/ada/app']]);
    const [step] = choose([get], { folders, gitResources: new Set(['git.app']) }).plan.steps;
    expect(step).toMatchObject({ command: { argv: expect.arrayContaining(['/home/ada/app', 'source']) } });
  });

  test('of another resource runs its script', () => {
    expect(choose([get], { folders: new Map([['git.other', '/x']]) }).plan.steps).toEqual([get]);
  });
});

describe('a put', () => {
  test('without --put only shows its params with the values that it would get, even if a secret has no value', () => {
    const { plan, withheld } = choose([put]);
    const [step] = plan.steps;
    expect(step).toMatchObject({
      kind: 'put',
      command: {
        container: 'worker',
        script: [
          "echo 'Not pushed to git.app. Add --put to push.' >&2",
          String.raw`printf '%s: %s\n' 'it'\''s' "$(printenv 'put_it'\''s')" >&2`,
          '',
        ].join('\n'),
      },
    });
    expect(step).not.toHaveProperty('refusal');
    expect([...withheld]).toEqual([['1', 'not pushed']]);
  });

  test('runs with --put', () => {
    expect(choose([put], { put: true })).toMatchObject({ plan: { steps: [put] }, withheld: new Map() });
  });
});

describe('a notification', () => {
  test('without --notify only shows its message, in steps, in hooks and at the end of the build', () => {
    const hooked = { ...task, hooks: { onFailure: [{ ...notify, id: '3.on_failure.0' }] } };
    const atTheEnd = { on: ['success' as const], step: { ...notify, id: 'notification.0' } };
    const { withheld } = choose([notify, hooked], {}, { notifications: [atTheEnd] });
    expect([...withheld.keys()]).toEqual(['2', '3.on_failure.0', 'notification.0']);
  });

  test('is sent with --notify', () => {
    expect(choose([notify], { notify: true }).plan.steps).toEqual([notify]);
  });
});

const names = ({ plan }: ReturnType<typeof applyChoicesToPlan>): string[] =>
  plan.containers.map(({ name }) => name);

describe('containers', () => {
  test('are left out if nothing runs in them any more', () => {
    expect(names(choose([put]))).toEqual(['worker']);
    expect(names(choose([put], { put: true }))).toEqual(['image-1-go']);
  });

  test('include every container of a pool, and the containers of services', () => {
    const containers = [
      { name: 'worker', pool: 'worker' },
      { name: 'worker-lane-2', pool: 'worker' },
      { name: 'image-1-go', image: 'go' },
      { name: 'service-1-db', image: 'db', service: 'db' },
    ];
    const start = { command: { container: 'service-1-db', argv: [] }, env: {}, staysInForeground: true };
    const services = [{ id: 'service.0', name: 'db', start }];
    expect(names(choose([task], {}, { containers, services }))).toEqual([
      'worker',
      'worker-lane-2',
      'service-1-db',
    ]);
  });
});
