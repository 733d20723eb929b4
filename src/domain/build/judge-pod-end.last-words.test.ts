import { describe, expect, test } from '@jest/globals';
import {
  agent,
  podBeingDeleted,
  podThatGaveUp,
  unstartedBuild,
  pending,
  pod,
  putBegun,
  firstAttempt,
  taskStarted,
  podWithTermination,
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
  'an agent out of memory is a fault of Millrace': {
    state: taskStarted,
    pod: pod({ containers: [agent({ reason: 'OOMKilled', exitCode: 137 }), worker()] }),
    judged: {
      decision: 'retry',
      reason: 'AgentFault',
      message: 'The agent ended without a report (out of memory).',
    },
  },
  'an agent that has ended ends the build even if other containers hang': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ exitCode: 137 }), worker()] }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'an agent that ended without a report is not judged while its Pod may still get a reason': {
    state: taskStarted,
    pod: pod({ phase: 'Running', containers: [agent({ exitCode: 137 }), worker()] }),
    attempt: { agentEndedSeconds: 29 },
    judged: { decision: 'wait' },
  },
  'an agent that was terminated is not judged while its Pod may still get a reason, such as an eviction': {
    state: taskStarted,
    pod: { ...podWithTermination({ reason: 'PodLost' }), phase: 'Running' },
    attempt: { agentEndedSeconds: 1 },
    judged: { decision: 'wait' },
  },
  'an agent that was terminated is lost if its Pod gets no reason in time': {
    state: taskStarted,
    pod: { ...podWithTermination({ reason: 'PodLost' }), phase: 'Running' },
    attempt: { agentEndedSeconds: 30 },
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'an agent that was terminated because its Pod is deleted is judged at once': {
    state: taskStarted,
    pod: { ...podWithTermination({ reason: 'PodLost' }), phase: 'Running', deleting: true },
    attempt: { agentEndedSeconds: 1 },
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'an agent that explained its end is judged at once': {
    state: taskStarted,
    pod: { ...podWithTermination({ reason: 'StepFailed' }), phase: 'Running' },
    attempt: { agentEndedSeconds: 1 },
    judged: { decision: 'end', reason: 'StepFailed' },
  },
  'a Pod that succeeded without a valid termination message does not count as success': {
    state: taskStarted,
    pod: pod({
      phase: 'Succeeded',
      containers: [agent({ exitCode: 0 }), worker({ state: 'terminated', exitCode: 0 })],
    }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },

  'a termination message with the exit of every step proves success': {
    state: taskStarted,
    pod: podWithTermination({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0, '1': 0 } }),
    judged: { decision: 'end', outcome: 'succeeded', reason: 'AllStepsSucceeded' },
  },
  'a termination message without the exit of a step does not count as success': {
    state: taskStarted,
    pod: podWithTermination({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0 } }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'a termination message of success with a failed exit does not count as success': {
    state: putBegun,
    pod: podWithTermination({ outcome: 'succeeded', reason: 'AllStepsSucceeded', exits: { '0': 0, '1': 1 } }),
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentFault' },
  },
  'a termination message about a failed step is accepted': {
    state: taskStarted,
    pod: podWithTermination({ exits: { '0': 1 } }),
    judged: { decision: 'end', outcome: 'failed', reason: 'StepFailed', message: 'Said so.' },
  },
  'a termination message about a cancelled build is accepted': {
    state: taskStarted,
    pod: podWithTermination({ outcome: 'cancelled', reason: 'Cancelled' }),
    judged: { decision: 'end', outcome: 'cancelled' },
  },
  'a termination message of an agent that was terminated counts as a lost Pod': {
    state: taskStarted,
    pod: podWithTermination({ reason: 'PodLost' }),
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'a termination message about steps without events is accepted': {
    state: unstartedBuild,
    pod: podWithTermination({ reason: 'AgentFault', exits: { '0': 0 } }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },
  'a termination message of an agent that could not reach a container leads to another Pod': {
    state: unstartedBuild,
    pod: podWithTermination({ reason: 'AgentFault', message: 'no connection from worker' }),
    judged: { decision: 'recreate', reason: 'AgentFault', message: 'no connection from worker' },
  },
  'an image that could not be pulled for long counts more than the agent that gave up': {
    state: unstartedBuild,
    pod: podThatGaveUp('ImagePullBackOff'),
    attempt: { ageSeconds: 1201 },
    judged: { decision: 'end', outcome: 'failed', reason: 'ImagePullFailed' },
  },
  'an invalid image name counts more than the agent that gave up': {
    state: unstartedBuild,
    pod: podThatGaveUp('InvalidImageName'),
    judged: { decision: 'end', outcome: 'failed', reason: 'ImagePullFailed' },
  },
  'an agent that gave up early costs an attempt, whose reason names the image that was not pulled': {
    state: unstartedBuild,
    pod: podThatGaveUp('ErrImagePull'),
    judged: {
      decision: 'recreate',
      reason: 'ImagePullFailed',
      message: 'The container worker does not start: ErrImagePull',
    },
  },
  'a refused session fails the build': {
    state: unstartedBuild,
    pod: podWithTermination({ reason: 'AgentAuthentication' }),
    judged: { decision: 'end', outcome: 'failed', reason: 'AgentAuthentication' },
  },
  'a session refused because the Pod was being deleted costs an attempt': {
    state: unstartedBuild,
    pod: { ...podWithTermination({ reason: 'AgentAuthentication' }), deleting: true },
    judged: { decision: 'recreate', reason: 'PodLost', message: 'The Pod was deleted.' },
  },
  'a session refused because the Pod was evicted costs an attempt': {
    state: unstartedBuild,
    pod: { ...podWithTermination({ reason: 'AgentAuthentication' }), reason: 'Evicted' },
    judged: { decision: 'recreate', reason: 'PodEvicted' },
  },
  'a termination message of another program is ignored': {
    state: taskStarted,
    pod: pod({ containers: [agent({ exitCode: 0, message: '{"outcome":"succeeded"}' }), worker()] }),
    judged: { decision: 'retry', reason: 'AgentFault' },
  },

  'a deleted Pod is given time to end': {
    state: taskStarted,
    pod: podBeingDeleted(),
    attempt: { overdueSeconds: 119 },
    judged: { decision: 'wait' },
  },
  'a deleted Pod that never ends is lost': {
    state: taskStarted,
    pod: podBeingDeleted(),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'retry', reason: 'PodLost' },
  },
  'a deleted Pod that never ends after a put began fails the build': {
    state: putBegun,
    pod: podBeingDeleted(),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'end', outcome: 'failed', reason: 'PodLost' },
  },
  'a Pod that was deleted with its dead node is evicted': {
    state: unstartedBuild,
    pod: podBeingDeleted({ disruption: 'DeletionByTaintManager' }),
    attempt: { overdueSeconds: 120 },
    judged: { decision: 'recreate', reason: 'PodEvicted' },
  },

  'a Pod that has not started is judged by what it waits for': {
    state: unstartedBuild,
    pod: pending({ scheduled: false, unschedulable: '0/1 nodes are available' }),
    judged: { decision: 'wait', reason: 'Unschedulable', message: '0/1 nodes are available' },
  },
};

describe('the end of a Pod and the termination message', () => {
  test.each(Object.entries(cases))('%s', (_name, { state, pod: seen, attempt, judged }) => {
    expect(judgePodEnd(state, seen, { ...firstAttempt, ...attempt })).toMatchObject(judged);
  });
});
