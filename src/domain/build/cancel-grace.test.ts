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
const clean: HookAction[] = [task()];
const job = (more: Partial<Job> = {}): Job => ({ name: 'a', steps: [task()], ...more });

test.each<[string, Job | undefined, number]>([
  ['a cancelled build without cleanup has a minute', job(), 60],
  ['a job that the pipeline no longer has gets a minute', undefined, 60],
  ['a hook that cancelled builds do not run does not count', job({ hooks: { onFailure: clean } }), 60],
  ['an empty hook does not count', job({ hooks: { ensure: [] } }), 60],
  ['on_cancel of the job adds ten minutes', job({ hooks: { onCancel: clean } }), 600],
  ['ensure of the job counts', job({ hooks: { ensure: clean } }), 600],
  ['ensure of a step counts', job({ steps: [task(), task({ ensure: clean })] }), 600],
  [
    'on_cancel of a step in a branch counts',
    job({ steps: [{ kind: 'branch', branches: [{ steps: [task({ onCancel: clean })] }] }] }),
    600,
  ],
  [
    'on_cancel of a parallel step counts',
    job({ steps: [{ kind: 'parallel', failFast: false, steps: [task({ onCancel: clean })] }] }),
    600,
  ],
])('%s', (_, cancelled, seconds) => {
  expect(cancelGraceSeconds(cancelled)).toBe(seconds);
});
