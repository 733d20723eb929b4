import { applyEvents, newBuildState } from '#domain/build/apply-events.ts';
import type { BuildState } from '#domain/build/build-state.ts';
import type { BuildEvent, TerminationMessage } from '#domain/build/events.ts';
import type { AttemptReport, ContainerReport, PodReport } from '#domain/build/pod-report.ts';

/* Short forms of Pods and builds for tests of how a build's Pod ended. */

/** A build with a task and a put, before its first event. */
export const unstartedBuild = newBuildState([
  { id: '0', kind: 'task', name: 'unit' },
  { id: '1', kind: 'put', name: 'git.tag', resource: 'git.tag' },
]);
const at = '2026-01-01T00:00:00Z';

/** The state of `unstartedBuild` after the agent has reported these events. */
export function buildAfter(
  ...types: ('start-task' | 'end-task' | 'fail-task' | 'start-put' | 'end')[]
): BuildState {
  const events = types.map((type, index): BuildEvent => {
    const base = { sequence: index + 1, at };
    if (type === 'end-task')
      return { ...base, type: 'step-ended', step: '0', status: 'succeeded', exitCode: 0 };
    if (type === 'fail-task')
      return { ...base, type: 'step-ended', step: '0', status: 'failed', exitCode: 1 };
    if (type === 'end')
      return { ...base, type: 'build-ended', outcome: 'failed', reason: 'StepFailed', message: '' };
    return { ...base, type: 'step-started', step: type === 'start-task' ? '0' : '1' };
  });
  return applyEvents(unstartedBuild, events).state;
}

/** The task has started. */
export const taskStarted = buildAfter('start-task');
/** The task has succeeded, and the put has started. */
export const putBegun = buildAfter('start-task', 'end-task', 'start-put');

export const agent = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'agent',
  state: 'terminated',
  ...more,
});
export const worker = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'worker',
  state: 'running',
  ...more,
});

/** A worker whose process was killed. */
export const killedWorker = (more: Partial<ContainerReport> = {}): ContainerReport =>
  worker({ state: 'terminated', exitCode: 137, ...more });

/** A failed Pod whose agent exited with 1 while the worker ran. */
export function pod(more: Partial<PodReport> = {}): PodReport {
  return {
    phase: 'Failed',
    deleting: false,
    scheduled: true,
    containers: [agent({ exitCode: 1 }), worker()],
    ...more,
  };
}

/** The same Pod, whose agent left this termination message. */
export function podWithTermination(more: Partial<TerminationMessage>): PodReport {
  const message: TerminationMessage = {
    format: 1,
    outcome: 'failed',
    reason: 'StepFailed',
    message: 'Said so.',
    exits: {},
    acknowledged: 0,
    ...more,
  };
  return pod({ containers: [agent({ exitCode: 1, message: JSON.stringify(message) }), worker()] });
}

/** A Pod whose containers have not started. */
export const pending = (more: Partial<PodReport> = {}): PodReport =>
  pod({ phase: 'Pending', containers: [agent({ state: 'waiting' }), worker({ state: 'waiting' })], ...more });
/** A running Pod that is being deleted. */
export const podBeingDeleted = (more: Partial<PodReport> = {}): PodReport =>
  pod({ phase: 'Running', deleting: true, containers: [agent({ state: 'running' }), worker()], ...more });
/** A Pod whose agent gave up because the worker waited for this reason. */
export const podThatGaveUp = (reason: string): PodReport =>
  pending({ containers: [agent({ exitCode: 1 }), worker({ state: 'waiting', reason })] });

/** The first attempt of a build, ten seconds old. */
export const firstAttempt: AttemptReport = { attempt: 1, retries: 0, ageSeconds: 10 };
