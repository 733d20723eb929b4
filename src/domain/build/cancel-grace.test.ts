import { expect, test } from '@jest/globals';
import type { Job, Notification } from '#domain/pipeline/pipeline.ts';
import type { HookAction, Hooks, ServiceStep, TaskStep } from '#domain/pipeline/steps.ts';
import { cancelGraceSeconds } from './cancel-grace.ts';

const task = (hooks?: Hooks): TaskStep => ({
  kind: 'task',
  name: 't',
  run: { runner: 'shell', cmd: 'true' },
  ...(hooks === undefined ? {} : { hooks }),
});
const cleanup: HookAction[] = [task()];
const service: ServiceStep = { kind: 'service', type: 'postgres', params: {} };
const notification = (more: Partial<Notification> = {}): Notification => ({
  name: 'slack.ops',
  type: 'slack',
  label: 'ops',
  params: {},
  on: ['cancel'],
  ...more,
});
const job = (more: Partial<Job> = {}): Job => ({ name: 'a', steps: [task()], ...more });

test.each<[string, Job, number]>([
  ['a cancelled build without cleanup has a minute', job(), 60],
  ['a job that the pipeline no longer has gets a minute', job({ name: 'other' }), 60],
  ['an empty hook adds no time', job({ hooks: { ensure: [] } }), 60],
  ['on_cancel of the job gives ten minutes', job({ hooks: { onCancel: cleanup } }), 600],
  ['ensure of the job gives ten minutes', job({ hooks: { ensure: cleanup } }), 600],
  [
    'on_failure gives ten minutes, because the cancel may come while it runs',
    job({ hooks: { onFailure: cleanup } }),
    600,
  ],
  ['ensure of a step gives ten minutes', job({ steps: [task(), task({ ensure: cleanup })] }), 600],
  [
    'on_cancel of a step in a branch gives ten minutes',
    job({ steps: [{ kind: 'branch', branches: [{ steps: [task({ onCancel: cleanup })] }] }] }),
    600,
  ],
  [
    'on_cancel of a parallel step gives ten minutes',
    job({ steps: [{ kind: 'parallel', failFast: false, steps: [task({ onCancel: cleanup })] }] }),
    600,
  ],
  ['a service has a minute for its stop, and time for its processes to end', job({ steps: [service] }), 220],
  [
    'a service in a branch counts too',
    job({ steps: [service, { kind: 'branch', branches: [{ steps: [service] }] }] }),
    380,
  ],
  [
    'the processes of services may end after the hooks have used up their time',
    job({ steps: [service, service], hooks: { ensure: cleanup } }),
    800,
  ],
])('%s', (_, cancelled, seconds) => {
  expect(cancelGraceSeconds({ jobs: [cancelled] }, 'a')).toBe(seconds);
});

test.each<[string, Notification[], number]>([
  ['a notification has two minutes, and time to be killed', [notification()], 220],
  ['several notifications are sent one after another', [notification(), notification()], 380],
  ['notifications have nine minutes together', Array.from({ length: 9 }, () => notification()), 600],
  ['a notification that only notify steps send adds no time', [notification({ on: [] })], 60],
  ['a notification of another job adds no time', [notification({ jobs: ['b'] })], 60],
  [
    'a notification of a success counts, because the cancel may come while it is sent',
    [notification({ on: ['success'] })],
    220,
  ],
])('%s', (_, notifications, seconds) => {
  expect(cancelGraceSeconds({ jobs: [job()], notifications }, 'a')).toBe(seconds);
});
