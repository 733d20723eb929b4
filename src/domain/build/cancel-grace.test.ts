import { expect, test } from '@jest/globals';
import type { Job } from '#domain/pipeline/pipeline.ts';
import type { HookAction, Hooks, TaskStep } from '#domain/pipeline/steps.ts';
import { cancelGraceSeconds } from './cancel-grace.ts';

const task = (hooks?: Hooks): TaskStep => ({
  kind: 'task',
  name: 't',
  run: { runner: 'shell', cmd: 'true' },
  ...(hooks === undefined ? {} : { hooks }),
});
const cleanup: HookAction[] = [task()];
const job = (more: Partial<Job> = {}): Job => ({ name: 'a', steps: [task()], ...more });

test.each<[string, Job | undefined, number]>([
  ['a cancelled build without cleanup has a minute', job(), 60],
  ['a job that the pipeline no longer has gets a minute', undefined, 60],
  ['a hook that cancelled builds do not run adds no time', job({ hooks: { onFailure: cleanup } }), 60],
  ['an empty hook adds no time', job({ hooks: { ensure: [] } }), 60],
  ['on_cancel of the job gives ten minutes', job({ hooks: { onCancel: cleanup } }), 600],
  ['ensure of the job gives ten minutes', job({ hooks: { ensure: cleanup } }), 600],
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
])('%s', (_, cancelled, seconds) => {
  expect(cancelGraceSeconds(cancelled)).toBe(seconds);
});
