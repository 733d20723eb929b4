import { expect, test } from '@jest/globals';
import type { HookAction, Hooks, Job, TaskStep } from '#domain/pipeline/pipeline.ts';
import { cancelGraceSeconds } from './cancel-grace.ts';

const task = (hooks?: Hooks): TaskStep => ({
  kind: 'task',
  name: 't',
  run: { runner: 'shell', cmd: 'true' },
  ...(hooks === undefined ? {} : { hooks }),
});
const clean: HookAction[] = [task()];
const job = (more: Partial<Job> = {}): Job => ({ name: 'a', steps: [task()], ...more });

test.each<[string, Job | undefined, number]>([
  ['nothing to clean up: a minute', job(), 60],
  ['a job that the pipeline has no more: a minute', undefined, 60],
  ['a hook that a cancelled build does not run counts not', job({ hooks: { onFailure: clean } }), 60],
  ['an empty hook counts not', job({ hooks: { ensure: [] } }), 60],
  ['on_cancel of the job: ten minutes', job({ hooks: { onCancel: clean } }), 600],
  ['ensure of the job', job({ hooks: { ensure: clean } }), 600],
  ['ensure of a step', job({ steps: [task(), task({ ensure: clean })] }), 600],
  [
    'on_cancel of a step in a branch',
    job({ steps: [{ kind: 'branch', branches: [{ steps: [task({ onCancel: clean })] }] }] }),
    600,
  ],
  [
    'on_cancel of a step beside others',
    job({ steps: [{ kind: 'parallel', failFast: false, steps: [task({ onCancel: clean })] }] }),
    600,
  ],
])('%s', (_, cancelled, seconds) => {
  expect(cancelGraceSeconds(cancelled)).toBe(seconds);
});
