import { describe, expect, test } from '@jest/globals';
import { applyEvents, openBuild } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildEvent, TerminationMessage } from './events.ts';
import { judgePodEnd } from './judge-pod-end.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

const opened = openBuild([
  { id: '0', kind: 'task', name: 'unit' },
  { id: '1', kind: 'put', name: 'git.tag', resource: 'git.tag' },
]);
const at = '2026-01-01T00:00:00Z';

function after(...types: ('start-task' | 'end-task' | 'start-put' | 'end')[]): BuildState {
  const told = types.map((type, index): BuildEvent => {
    const base = { sequence: index + 1, at };
    if (type === 'end-task')
      return { ...base, type: 'step-ended', step: '0', status: 'succeeded', exitCode: 0 };
    if (type === 'end')
      return { ...base, type: 'build-ended', outcome: 'failed', reason: 'StepFailed', message: '' };
    return { ...base, type: 'step-started', step: type === 'start-task' ? '0' : '1' };
  });
  return applyEvents(opened, told).state;
}

const ran = after('start-task');
const putBegun = after('start-task', 'end-task', 'start-put');

const agent = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'agent',
  state: 'terminated',
  ...more,
});
const worker = (more: Partial<ContainerReport> = {}): ContainerReport => ({
  name: 'worker',
  state: 'running',
  ...more,
});

const broken = (more: Partial<ContainerReport> = {}): ContainerReport =>
  worker({ state: 'terminated', exitCode: 137, ...more });

function pod(more: Partial<PodReport> = {}): PodReport {
  return {
    phase: 'Failed',
    deleting: false,
    scheduled: true,
    containers: [agent({ exitCode: 1 }), worker()],
    ...more,
  };
}

function words(more: Partial<TerminationMessage>): PodReport {
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

const pending = (more: Partial<PodReport> = {}): PodReport =>
  pod({ phase: 'Pending', containers: [agent({ state: 'waiting' }), worker({ state: 'waiting' })], ...more });
const dying = (more: Partial<PodReport> = {}): PodReport =>
  pod({ phase: 'Running', deleting: true, containers: [agent({ state: 'running' }), worker()], ...more });
const gaveUp = (reason: string): PodReport =>
  pending({ containers: [agent({ exitCode: 1 }), worker({ state: 'waiting', reason })] });

const quiet: AttemptReport = { attempt: 1, retries: 0, ageSeconds: 10 };

interface Case {
  state: BuildState;
  pod: PodReport | undefined;
  attempt?: Partial<AttemptReport>;
  judged: Partial<PodJudgement>;
}

const cases: Record<string, Case> = {
  'a running Pod is left alone': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    judged: { decision: 'wait' },
  },
  'a step container that died beside its agent before the first step costs the Pod at once': {
    state: opened,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), broken()] }),
    judged: {
      decision: 'recreate',
      reason: 'AgentFault',
      message: 'The container worker ended before its first step (exit code 137).',
    },
  },
  'a step container that cannot run its image is named with what the kubelet says': {
    state: opened,
    pod: pod({
      phase: 'Running',
      containers: [
        agent({ state: 'running' }),
        broken({ exitCode: 128, reason: 'StartError', message: 'no /bin/sh' }),
      ],
    }),
    judged: {
      decision: 'recreate',
      message: 'The container worker ended before its first step (exit code 128, StartError: no /bin/sh).',
    },
  },
  'step containers that die again and again before the first step end the build': {
    state: opened,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), broken()] }),
    attempt: { attempt: 5 },
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentFault' },
  },
  'a step container out of memory before its first step fails the build': {
    state: opened,
    pod: pod({
      phase: 'Running',
      containers: [agent({ state: 'running' }), broken({ reason: 'OOMKilled' })],
    }),
    judged: { decision: 'end', outcome: 'failed', reason: 'OutOfMemory' },
  },
  'a step container that died after steps began is told by its agent': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), broken()] }),
    judged: { decision: 'wait' },
  },
  'a step container that ended well beside its agent costs nothing: the agent may have more to tell': {
    state: opened,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), broken({ exitCode: 0 })] }),
    judged: { decision: 'wait' },
  },
  'a step container that died in a Pod that is being deleted costs nothing more': {
    state: opened,
    pod: dying({ containers: [agent({ state: 'running' }), broken()] }),
    judged: { decision: 'wait' },
  },
  'a step container that died after somebody cancelled the build is left to that': {
    state: opened,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), broken()] }),
    attempt: { cancelled: { seconds: 5, graceSeconds: 60 } },
    judged: { decision: 'end', outcome: 'cancelled', reason: 'Cancelled' },
  },
  'a build that is over stays over': {
    state: after('start-task', 'end'),
    pod: undefined,
    judged: { decision: 'wait' },
  },

  'a Pod that vanished before its first step is replaced': {
    state: opened,
    pod: undefined,
    judged: { decision: 'recreate', reason: 'PodLost' },
  },
  'a Pod that vanished while a task ran is repeated': {
    state: ran,
    pod: undefined,
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'a Pod that vanished after a put began fails the build': {
    state: putBegun,
    pod: undefined,
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a build is repeated once only': {
    state: ran,
    pod: undefined,
    attempt: { attempt: 2, retries: 1 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a build whose job forbids retries is not repeated': {
    state: ran,
    pod: undefined,
    attempt: { disableRetry: true },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a Pod that vanished before its first step is replaced though the job forbids retries': {
    state: opened,
    pod: undefined,
    attempt: { disableRetry: true },
    judged: { decision: 'recreate', reason: 'PodLost' },
  },
  'replacing does not count as repeating': {
    state: ran,
    pod: undefined,
    attempt: { attempt: 3 },
    judged: { decision: 'retry' },
  },
  'Pods that never come to a step are not replaced for ever': {
    state: opened,
    pod: undefined,
    attempt: { attempt: 5 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a cancelled build whose Pod is gone is cancelled': {
    state: ran,
    pod: undefined,
    attempt: { cancelled: { seconds: 5, graceSeconds: 60 } },
    judged: {
      decision: 'end',
      outcome: 'cancelled',
      reason: 'Cancelled',
      message: 'The build was cancelled. Its Pod is gone.',
    },
  },
  'a cancelled build is left to its agent for a while': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { cancelled: { seconds: 59, graceSeconds: 60 } },
    judged: { decision: 'wait' },
  },
  'a cancelled build that its agent does not end loses its Pod': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { cancelled: { seconds: 60, graceSeconds: 60 } },
    judged: {
      decision: 'stop',
      message: 'The agent did not end the cancelled build within 60 s: its Pod is deleted.',
    },
  },
  'a Pod is deleted once': {
    state: ran,
    pod: dying(),
    attempt: { cancelled: { seconds: 65, graceSeconds: 60 } },
    judged: { decision: 'wait' },
  },
  'a cancelled build whose agent did not end it is cancelled with its Pod, and says so': {
    state: ran,
    pod: undefined,
    attempt: { cancelled: { seconds: 71, graceSeconds: 60 } },
    judged: {
      decision: 'end',
      outcome: 'cancelled',
      reason: 'Cancelled',
      message: 'The build was cancelled. Its agent did not end it within 60 s, and its Pod is gone.',
    },
  },
  'who cancelled it is told first': {
    state: ran,
    pod: undefined,
    attempt: { cancelled: { seconds: 3, graceSeconds: 60, reason: 'Cancelled by ann.' } },
    judged: { decision: 'end', outcome: 'cancelled', message: 'Cancelled by ann. Its Pod is gone.' },
  },
  'a cancelled build on a node that is lost is cancelled though its Pod stays': {
    state: ran,
    pod: dying(),
    attempt: { cancelled: { seconds: 300, graceSeconds: 60 }, overdueSeconds: 120 },
    judged: { decision: 'end', outcome: 'cancelled' },
  },
  'nobody waits for the agent of a build that nobody cancelled': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { ageSeconds: 5000 },
    judged: { decision: 'wait' },
  },

  'eviction is named': {
    state: ran,
    pod: pod({ reason: 'Evicted', message: 'low on memory' }),
    judged: {
      decision: 'retry',
      reason: 'PodEvicted',
      message: 'The Pod was evicted: Evicted (low on memory).',
    },
  },
  'preemption is an eviction': {
    state: ran,
    pod: pod({ disruption: 'PreemptionByScheduler' }),
    judged: { decision: 'retry', reason: 'PodEvicted' },
  },
  'a node that refuses the Pod is named': {
    state: opened,
    pod: pod({ reason: 'UnexpectedAdmissionError', containers: [] }),
    judged: { decision: 'recreate', reason: 'PodRefused' },
  },
  'the Pod’s deadline ends the build without another try': {
    state: ran,
    pod: pod({ reason: 'DeadlineExceeded' }),
    judged: { decision: 'end', outcome: 'failed', reason: 'JobTimeout' },
  },
  'a step container out of memory fails the build and names it': {
    state: ran,
    pod: pod({ containers: [agent({ exitCode: 1 }), worker({ state: 'terminated', reason: 'OOMKilled' })] }),
    judged: {
      decision: 'end',
      outcome: 'failed',
      reason: 'OutOfMemory',
      message: 'The container worker used more memory than it may.',
    },
  },
  'out of memory is never success, whatever the exit code': {
    state: after('start-task', 'end-task'),
    pod: pod({
      phase: 'Succeeded',
      containers: [agent({ exitCode: 0 }), worker({ state: 'terminated', reason: 'OOMKilled', exitCode: 0 })],
    }),
    judged: { decision: 'end', outcome: 'failed', reason: 'OutOfMemory' },
  },
  'an agent out of memory is a fault of ours': {
    state: ran,
    pod: pod({ containers: [agent({ reason: 'OOMKilled', exitCode: 137 }), worker()] }),
    judged: {
      decision: 'retry',
      reason: 'AgentFault',
      message: 'The agent ended without a word (out of memory).',
    },
  },
  'an agent that is gone ends the build though other containers hang': {
    state: ran,
    pod: pod({ phase: 'Running', containers: [agent({ exitCode: 137 }), worker()] }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'a Pod that succeeded without proof is no success': {
    state: ran,
    pod: pod({
      phase: 'Succeeded',
      containers: [agent({ exitCode: 0 }), worker({ state: 'terminated', exitCode: 0 })],
    }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },

  'last words with the exit of every step prove success': {
    state: ran,
    pod: words({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0, '1': 0 } }),
    judged: { decision: 'end', outcome: 'succeeded', reason: 'AllStepsSucceeded' },
  },
  'last words without the exit of a step do not': {
    state: ran,
    pod: words({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0 } }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'last words of success with a bad exit do not': {
    state: putBegun,
    pod: words({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0, '1': 1 } }),
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentFault' },
  },
  'last words of a failed step are believed': {
    state: ran,
    pod: words({ exits: { '0': 1 } }),
    judged: { decision: 'end', outcome: 'failed', reason: 'StepFailed', message: 'Said so.' },
  },
  'last words of a cancelled build are believed': {
    state: ran,
    pod: words({ outcome: 'cancelled', reason: 'Cancelled' }),
    judged: { decision: 'end', outcome: 'cancelled' },
  },
  'last words of an agent that was sent away count as a lost Pod': {
    state: ran,
    pod: words({ reason: 'PodLost' }),
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'last words that tell of steps which no event told are heard': {
    state: opened,
    pod: words({ reason: 'AgentFault', exits: { '0': 0 } }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'last words of an agent whose containers never came lead to another Pod': {
    state: opened,
    pod: words({ reason: 'AgentFault', message: 'no word from worker' }),
    judged: { decision: 'recreate', reason: 'AgentFault', message: 'no word from worker' },
  },
  'an image that could not be pulled for long wins over the agent that gave up': {
    state: opened,
    pod: gaveUp('ImagePullBackOff'),
    attempt: { ageSeconds: 1201 },
    judged: { decision: 'end', outcome: 'failed', reason: 'ImagePullFailed' },
  },
  'an image name that is none wins over the agent that gave up': {
    state: opened,
    pod: gaveUp('InvalidImageName'),
    judged: { decision: 'end', outcome: 'failed', reason: 'ImagePullFailed' },
  },
  'an agent that ends early leaves the image another try and names it': {
    state: opened,
    pod: gaveUp('ErrImagePull'),
    judged: {
      decision: 'recreate',
      reason: 'ImagePullFailed',
      message: 'The container worker does not start: ErrImagePull',
    },
  },
  'a session that was refused fails the build': {
    state: opened,
    pod: words({ reason: 'AgentAuthentication' }),
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentAuthentication' },
  },
  'a session that was refused because the Pod was being deleted costs an attempt': {
    state: opened,
    pod: { ...words({ reason: 'AgentAuthentication' }), deleting: true },
    judged: { decision: 'recreate', reason: 'PodLost', message: 'The Pod was deleted.' },
  },
  'a session that was refused because the Pod was evicted costs an attempt': {
    state: opened,
    pod: { ...words({ reason: 'AgentAuthentication' }), reason: 'Evicted' },
    judged: { decision: 'recreate', reason: 'PodEvicted' },
  },
  'last words that are not ours are not believed': {
    state: ran,
    pod: pod({ containers: [agent({ exitCode: 0, message: '{"outcome":"succeeded"}' }), worker()] }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },

  'a deleted Pod is given time to end': {
    state: ran,
    pod: dying(),
    attempt: { overdueSeconds: 119 },
    judged: { decision: 'wait' },
  },
  'a deleted Pod that never ends is lost': {
    state: ran,
    pod: dying(),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'a deleted Pod that never ends after a put began fails the build': {
    state: putBegun,
    pod: dying(),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a Pod that was deleted with its dead node is evicted': {
    state: opened,
    pod: dying({ disruption: 'DeletionByTaintManager' }),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'recreate', reason: 'PodEvicted' },
  },

  'a Pod that has not begun is judged by what it waits for': {
    state: opened,
    pod: pending({ scheduled: false, unschedulable: '0/1 nodes are available' }),
    judged: { decision: 'wait', reason: 'Unschedulable', message: '0/1 nodes are available' },
  },
};

describe('the end of a Pod', () => {
  test.each(Object.entries(cases))('%s', (_name, { state, pod: seen, attempt, judged }) => {
    expect(judgePodEnd(state, seen, { ...quiet, ...attempt })).toMatchObject(judged);
  });
});
