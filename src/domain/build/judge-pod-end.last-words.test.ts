import { describe, expect, test } from '@jest/globals';
import {
  agent,
  dying,
  gaveUp,
  opened,
  pending,
  pod,
  putBegun,
  quiet,
  ran,
  words,
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
  'an agent out of memory is a fault of ours': {
    state: ran,
    pod: pod({ containers: [agent({ reason: 'OOMKilled', exitCode: 137 }), worker()] }),
    judged: {
      decision: 'retry',
      reason: 'AgentFault',
      message: 'The agent ended without a report (out of memory).',
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
