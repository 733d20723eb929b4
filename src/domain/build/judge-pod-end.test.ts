import { describe, expect, test } from '@jest/globals';
import {
  buildAfter,
  agent,
  killedWorker,
  podBeingDeleted,
  unstartedBuild,
  pod,
  putBegun,
  firstAttempt,
  taskStarted,
  worker,
} from '#testing/kubernetes/pod-reports.ts';
import type { BuildState } from './build-state.ts';
import { judgePodEnd } from './judge-pod-end.ts';
import type { AttemptReport, PodJudgement, PodReport } from './pod-report.ts';

interface Case {
  state: BuildState;
  pod: PodReport | undefined;
  attempt?: Partial<AttemptReport>;
  judged: Partial<PodJudgement>;
}

const cases: Record<string, Case> = {
  'a running Pod is left alone': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    judged: { decision: 'wait' },
  },
  'a Pod whose step container ended before the first step is replaced at once': {
    state: unstartedBuild,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), killedWorker()] }),
    judged: {
      decision: 'recreate',
      reason: 'AgentFault',
      message: 'The container worker ended before its first step (exit code 137).',
    },
  },
  'a step container that cannot run its image is named with the kubelet’s message': {
    state: unstartedBuild,
    pod: pod({
      phase: 'Running',
      containers: [
        agent({ state: 'running' }),
        killedWorker({ exitCode: 128, reason: 'StartError', message: 'no /bin/sh' }),
      ],
    }),
    judged: {
      decision: 'recreate',
      message: 'The container worker ended before its first step (exit code 128, StartError: no /bin/sh).',
    },
  },
  'step containers that repeatedly end before the first step end the build': {
    state: unstartedBuild,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), killedWorker()] }),
    attempt: { attempt: 5 },
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentFault' },
  },
  'a step container out of memory before its first step fails the build': {
    state: unstartedBuild,
    pod: pod({
      phase: 'Running',
      containers: [agent({ state: 'running' }), killedWorker({ reason: 'OOMKilled' })],
    }),
    judged: { decision: 'end', outcome: 'failed', reason: 'OutOfMemory' },
  },
  'a step container that ended after steps began is reported by its agent': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), killedWorker()] }),
    judged: { decision: 'wait' },
  },
  'a step container that ended with exit code 0 beside its agent is not a fault, because the agent may report more':
    {
      state: unstartedBuild,
      pod: pod({
        phase: 'Running',
        containers: [agent({ state: 'running' }), killedWorker({ exitCode: 0 })],
      }),
      judged: { decision: 'wait' },
    },
  'a step container that ended in a Pod that is being deleted is not a fault': {
    state: unstartedBuild,
    pod: podBeingDeleted({ containers: [agent({ state: 'running' }), killedWorker()] }),
    judged: { decision: 'wait' },
  },
  'a step container that ended after a cancel does not affect the cancel': {
    state: unstartedBuild,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), killedWorker()] }),
    attempt: { cancelled: { seconds: 5, graceSeconds: 60 } },
    judged: { decision: 'end', outcome: 'cancelled', reason: 'Cancelled' },
  },
  'a build that has ended stays ended': {
    state: buildAfter('start-task', 'end'),
    pod: undefined,
    judged: { decision: 'wait' },
  },

  'a Pod that vanished before its first step is replaced': {
    state: unstartedBuild,
    pod: undefined,
    judged: { decision: 'recreate', reason: 'PodLost' },
  },
  'a build whose Pod vanished during a task is repeated': {
    state: taskStarted,
    pod: undefined,
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'a build whose Pod vanished after a put began fails': {
    state: putBegun,
    pod: undefined,
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a build is repeated only once': {
    state: taskStarted,
    pod: undefined,
    attempt: { attempt: 2, retries: 1 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a build whose job forbids retries is not repeated': {
    state: taskStarted,
    pod: undefined,
    attempt: { disableRetry: true },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a Pod that vanished before its first step is replaced even if the job forbids retries': {
    state: unstartedBuild,
    pod: undefined,
    attempt: { disableRetry: true },
    judged: { decision: 'recreate', reason: 'PodLost' },
  },
  'replacing a Pod does not count as a repetition': {
    state: taskStarted,
    pod: undefined,
    attempt: { attempt: 3 },
    judged: { decision: 'retry' },
  },
  'Pods that never reach a step are not replaced for ever': {
    state: unstartedBuild,
    pod: undefined,
    attempt: { attempt: 5 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a cancelled build whose Pod is gone is cancelled': {
    state: taskStarted,
    pod: undefined,
    attempt: { cancelled: { seconds: 5, graceSeconds: 60 } },
    judged: {
      decision: 'end',
      outcome: 'cancelled',
      reason: 'Cancelled',
      message: 'The build was cancelled. Its Pod is gone.',
    },
  },
  'a cancelled build gets time in which its agent can end it': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { cancelled: { seconds: 59, graceSeconds: 60 } },
    judged: { decision: 'wait' },
  },
  'a cancelled build that its agent does not end loses its Pod': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { cancelled: { seconds: 60, graceSeconds: 60 } },
    judged: {
      decision: 'stop',
      message: 'The agent did not end the cancelled build within 60 s: its Pod is deleted.',
    },
  },
  'a cancel during the hooks of a finished plan does not limit them': {
    state: buildAfter('start-task', 'fail-task'),
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { cancelled: { seconds: 700, graceSeconds: 600 } },
    judged: { decision: 'wait' },
  },
  'a Pod is deleted only once': {
    state: taskStarted,
    pod: podBeingDeleted(),
    attempt: { cancelled: { seconds: 65, graceSeconds: 60 } },
    judged: { decision: 'wait' },
  },
  'a cancelled build that its agent did not end is cancelled when its Pod is gone, and says so': {
    state: taskStarted,
    pod: undefined,
    attempt: { cancelled: { seconds: 71, graceSeconds: 60 } },
    judged: {
      decision: 'end',
      outcome: 'cancelled',
      reason: 'Cancelled',
      message: 'The build was cancelled. Its agent did not end it within 60 s, and its Pod is gone.',
    },
  },
  'the person who cancelled the build is named first': {
    state: taskStarted,
    pod: undefined,
    attempt: { cancelled: { seconds: 3, graceSeconds: 60, reason: 'Cancelled by ann.' } },
    judged: { decision: 'end', outcome: 'cancelled', message: 'Cancelled by ann. Its Pod is gone.' },
  },
  'a cancelled build on a lost node is cancelled even if its Pod stays': {
    state: taskStarted,
    pod: podBeingDeleted(),
    attempt: { cancelled: { seconds: 300, graceSeconds: 60 }, overdueSeconds: 120 },
    judged: { decision: 'end', outcome: 'cancelled' },
  },
  'the time to end a cancelled build does not limit a build that was not cancelled': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ state: 'running' }), worker()] }),
    attempt: { ageSeconds: 5000 },
    judged: { decision: 'wait' },
  },

  'an eviction is named': {
    state: taskStarted,
    pod: pod({ reason: 'Evicted', message: 'low on memory' }),
    judged: {
      decision: 'retry',
      reason: 'PodEvicted',
      message: 'The Pod was evicted: Evicted (low on memory).',
    },
  },
  'a preemption is an eviction': {
    state: taskStarted,
    pod: pod({ disruption: 'PreemptionByScheduler' }),
    judged: { decision: 'retry', reason: 'PodEvicted' },
  },
  'a Pod that its node refuses is replaced': {
    state: unstartedBuild,
    pod: pod({ reason: 'UnexpectedAdmissionError', containers: [] }),
    judged: { decision: 'recreate', reason: 'PodRefused' },
  },
  'the Pod’s deadline ends the build without another attempt': {
    state: taskStarted,
    pod: pod({ reason: 'DeadlineExceeded' }),
    judged: { decision: 'end', outcome: 'failed', reason: 'JobTimeout' },
  },
  'a step container out of memory fails the build and is named': {
    state: taskStarted,
    pod: pod({ containers: [agent({ exitCode: 1 }), worker({ state: 'terminated', reason: 'OOMKilled' })] }),
    judged: {
      decision: 'end',
      outcome: 'failed',
      reason: 'OutOfMemory',
      message: 'The container worker used more memory than it may.',
    },
  },
  'a step container that ran out of memory is never a success, with any exit code': {
    state: buildAfter('start-task', 'end-task'),
    pod: pod({
      phase: 'Succeeded',
      containers: [agent({ exitCode: 0 }), worker({ state: 'terminated', reason: 'OOMKilled', exitCode: 0 })],
    }),
    judged: { decision: 'end', outcome: 'failed', reason: 'OutOfMemory' },
  },
};

describe('the end of a Pod', () => {
  test.each(Object.entries(cases))('%s', (_name, { state, pod: seen, attempt, judged }) => {
    expect(judgePodEnd(state, seen, { ...firstAttempt, ...attempt })).toMatchObject(judged);
  });
});
