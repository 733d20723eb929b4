import { describe, expect, test } from '@jest/globals';
import type { HookAction, Hooks, Step, TaskStep } from '#domain/pipeline/steps.ts';
import { job, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { needsOfBuild } from './pod-needs.ts';

const task = (name: string): TaskStep => ({ kind: 'task', name, run: { runner: 'shell', cmd: 'true' } });
const COMMAND: HookAction = { kind: 'command', run: { runner: 'shell', cmd: 'true' } };
const hookTask = (timeoutSeconds: number, attempts?: number): HookAction => ({
  ...task('hook'),
  timeoutSeconds,
  ...(attempts !== undefined && { attempts }),
});
const withHooks = (name: string, hooks: Hooks): TaskStep => ({ ...task(name), hooks });

/** Seconds of a Pod's deadline beyond the timeout of its job and `AROUND_BUILD_SECONDS`. */
function deadlineForHooks(steps: Step[], hooks: Hooks = {}): number {
  const unit = { ...job('unit', ...steps), timeoutSeconds: 1800, hooks };
  return needsOfBuild(samplePipeline({ jobs: [unit] }), 'unit').deadlineSeconds - 1800 - 3600;
}
const [short, long] = [{ onFailure: [hookTask(60)] }, { onFailure: [hookTask(7200)] }];

describe('the deadline of the Pod of a build leaves time', () => {
  test('for no hooks if the job has none', () => expect(deadlineForHooks([task('a')])).toBe(0));

  test('for the outcome whose hooks take longest, then for those of ensure', () => {
    const hooks = { onSuccess: [COMMAND], onFailure: [hookTask(7200), COMMAND], ensure: [COMMAND] };
    expect(deadlineForHooks([task('a')], hooks)).toBe(7200 + 600 + 600);
  });

  test('for each attempt of a hook', () => {
    expect(deadlineForHooks([task('a')], { onCancel: [hookTask(900, 3)] })).toBe(2700);
  });

  test('for the hooks of one step, and those of the job', () => {
    expect(deadlineForHooks([withHooks('a', long), withHooks('b', short)], short)).toBe(7260);
  });

  test('for the hooks of all steps of a group', () => {
    const steps = [withHooks('a', long), withHooks('b', short)];
    expect(deadlineForHooks([{ kind: 'parallel', failFast: false, steps, hooks: short }])).toBe(7320);
  });

  test('for the hooks of one branch', () => {
    const branches = [
      { condition: '$A == b', steps: [withHooks('a', long)] },
      { steps: [withHooks('b', short)] },
    ];
    expect(deadlineForHooks([{ kind: 'branch', branches }])).toBe(7200);
  });

  test('up to what Kubernetes allows', () => {
    const many = { ensure: Array.from({ length: 20 }, () => hookTask(30 * 24 * 3600, 100)) };
    expect(deadlineForHooks([task('a')], many)).toBeLessThan(2 ** 31 - 1);
  });
});
