import { describe, expect, test } from '@jest/globals';
import { newBuildState } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import { judgeMissingImage, judgePending } from './judge-pending.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

const pending: BuildState = newBuildState([{ id: '0', kind: 'task', name: 'unit' }]);
const freshAttempt: AttemptReport = { attempt: 1, retries: 0, ageSeconds: 10 };

const pod = (more: Partial<PodReport> = {}): PodReport => ({
  phase: 'Pending',
  deleting: false,
  scheduled: true,
  containers: [],
  ...more,
});
const waiting = (reason?: string, message?: string, name = 'worker'): ContainerReport => ({
  name,
  state: 'waiting',
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
});
const AGENT: ContainerReport = { name: 'agent', state: 'running' };

const AT_ONCE = 0;
/** A Pod has an hour to get a node, and then a quarter of an hour to start. */
const NODE_SECONDS = 3600;
const START_SECONDS = 900;
const lateAttempt: AttemptReport = { ...freshAttempt, ageSeconds: START_SECONDS + 1 };

describe('a build whose Pod does not run yet', () => {
  const NO_NODE = '0/1 nodes are available: 1 Insufficient memory.';
  const NOT_SEEN = 'The scheduler has not seen the Pod yet.';
  const cases: Record<
    string,
    [seen: PodReport, attempt: Partial<AttemptReport>, judged: PodJudgement, state?: BuildState]
  > = {
    'waits without a message while the scheduler has had little time': [
      pod({ scheduled: false }),
      { ageSeconds: 4 },
      { decision: 'wait' },
    ],
    'waits for the scheduler, and says so after some seconds': [
      pod({ scheduled: false }),
      { ageSeconds: 5 },
      { decision: 'wait', reason: 'Unschedulable', message: NOT_SEEN },
    ],
    'waits for a node, and gives the scheduler’s message at once': [
      pod({ scheduled: false, unschedulable: NO_NODE }),
      { ageSeconds: 0 },
      { decision: 'wait', reason: 'Unschedulable', message: NO_NODE },
    ],
    'waits for a node for an hour': [
      pod({ scheduled: false, unschedulable: NO_NODE }),
      { ageSeconds: NODE_SECONDS },
      { decision: 'wait', reason: 'Unschedulable', message: NO_NODE },
    ],
    'fails if it has no node after an hour': [
      pod({ scheduled: false, unschedulable: NO_NODE }),
      { ageSeconds: NODE_SECONDS + 1 },
      { decision: 'end', outcome: 'failed', reason: 'Unschedulable', message: NO_NODE },
    ],
    'fails if no scheduler tried it for an hour': [
      pod({ scheduled: false }),
      { ageSeconds: NODE_SECONDS + 1 },
      { decision: 'end', outcome: 'failed', reason: 'Unschedulable', message: NOT_SEEN },
    ],
    'waits without a message for containers that are being created': [
      pod({ containers: [AGENT, waiting('ContainerCreating')] }),
      {},
      { decision: 'wait' },
    ],
    'waits without a message for containers with an unknown state': [
      pod({ containers: [waiting(undefined, undefined, 'agent'), waiting()] }),
      {},
      { decision: 'wait' },
    ],
    'waits for containers that the kubelet has not reported': [
      pod(),
      { ageSeconds: START_SECONDS + 1 },
      { decision: 'wait' },
    ],
    'waits for its first step when its containers run': [
      pod({ containers: [AGENT, { name: 'worker', state: 'running' }] }),
      { ageSeconds: START_SECONDS + 1 },
      { decision: 'wait' },
    ],
    'fails if a container is being created for a quarter of an hour': [
      pod({ containers: [AGENT, waiting('ContainerCreating')] }),
      { ageSeconds: START_SECONDS + 1 },
      {
        decision: 'end',
        outcome: 'failed',
        reason: 'PodRefused',
        message: 'The container worker does not start: ContainerCreating',
      },
    ],
    'fails if the state of a container is unknown for a quarter of an hour': [
      pod({ containers: [AGENT, waiting()] }),
      { ageSeconds: START_SECONDS + 1 },
      {
        decision: 'end',
        outcome: 'failed',
        reason: 'PodRefused',
        message: 'The container worker does not start: no reason is known',
      },
    ],
    'waits for a quarter of an hour after its Pod got its node': [
      pod({ containers: [AGENT, waiting('ContainerCreating')] }),
      { ageSeconds: NODE_SECONDS, scheduledSeconds: START_SECONDS },
      { decision: 'wait' },
    ],
    'fails if its Pod does not start for a quarter of an hour after it got its node': [
      pod({ containers: [AGENT, waiting('ContainerCreating')] }),
      { ageSeconds: NODE_SECONDS, scheduledSeconds: START_SECONDS + 1 },
      {
        decision: 'end',
        outcome: 'failed',
        reason: 'PodRefused',
        message: 'The container worker does not start: ContainerCreating',
      },
    ],
    'names the first container with a fault': [
      pod({
        containers: [
          AGENT,
          waiting('ContainerCreating', undefined, 'clock'),
          waiting('ErrImagePull', 'not found', 'database'),
          waiting('CreateContainerError'),
        ],
      }),
      {},
      {
        decision: 'wait',
        reason: 'ImagePullFailed',
        message: 'The container database does not start: ErrImagePull: not found',
      },
    ],
    'is not affected by a reason that a running container had': [
      pod({ containers: [AGENT, { ...waiting('ErrImagePull'), state: 'running' }] }),
      { ageSeconds: START_SECONDS + 1 },
      { decision: 'wait' },
    ],
    'is left alone while its Pod is being deleted': [
      pod({ deleting: true, scheduled: false, unschedulable: NO_NODE }),
      { ageSeconds: NODE_SECONDS + 1 },
      { decision: 'wait' },
    ],
    'is left alone after a step has begun': [
      pod({ containers: [AGENT, waiting('InvalidImageName')] }),
      { ageSeconds: START_SECONDS + 1 },
      { decision: 'wait' },
      { ...pending, status: 'started' },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [seen, attempt, judged, state = pending]) => {
    expect(judgePending(state, seen, { ...freshAttempt, ...attempt })).toEqual(judged);
  });
});

/**
 * The kubelet's reason for a waiting container, the build's reason, and the seconds until the build fails.
 */
const REASONS: [
  waitingReason: string,
  reason: 'ImagePullFailed' | 'PodRefused',
  secondsUntilFailure: number,
][] = [
  ['ErrImagePull', 'ImagePullFailed', START_SECONDS],
  ['ImagePullBackOff', 'ImagePullFailed', START_SECONDS],
  ['ImageInspectError', 'ImagePullFailed', START_SECONDS],
  ['RegistryUnavailable', 'ImagePullFailed', START_SECONDS],
  ['SignatureValidationFailed', 'ImagePullFailed', START_SECONDS],
  ['InvalidImageName', 'ImagePullFailed', AT_ONCE],
  ['ErrImageNeverPull', 'ImagePullFailed', AT_ONCE],
  ['CreateContainerConfigError', 'PodRefused', START_SECONDS],
  ['CreateContainerError', 'PodRefused', START_SECONDS],
  ['RunContainerError', 'PodRefused', START_SECONDS],
  ['PreCreateHookError', 'PodRefused', START_SECONDS],
  ['PostStartHookError', 'PodRefused', START_SECONDS],
];

describe.each(REASONS)(
  'the waiting reason %s of a container has the build reason %s',
  (waitingReason, reason, secondsUntilFailure) => {
    const containers = [AGENT, waiting(waitingReason, 'because')];
    const message = `The container worker does not start: ${waitingReason}: because`;
    const judgedAt = (ageSeconds: number): PodJudgement =>
      judgePending(pending, pod({ containers }), { ...freshAttempt, ageSeconds });
    const wait: PodJudgement = { decision: 'wait', reason, message };
    const end: PodJudgement = { decision: 'end', outcome: 'failed', reason, message };

    test(`and fails the build after ${secondsUntilFailure} s`, () => {
      expect(judgedAt(secondsUntilFailure)).toEqual(secondsUntilFailure === AT_ONCE ? end : wait);
      expect(judgedAt(secondsUntilFailure + 1)).toEqual(end);
    });

    test('and explains why no step began only if the reason is about an image', () => {
      const isImage = reason === 'ImagePullFailed';
      expect(judgeMissingImage(containers, lateAttempt)).toEqual(isImage ? end : undefined);
      expect(judgeMissingImage(containers, { ...freshAttempt, ageSeconds: secondsUntilFailure })).toEqual(
        isImage ? judgedAt(secondsUntilFailure) : undefined,
      );
    });
  },
);

test('containers that are only late do not count as a missing image', () => {
  expect(judgeMissingImage([waiting('ContainerCreating')], lateAttempt)).toBeUndefined();
  expect(judgeMissingImage([AGENT], lateAttempt)).toBeUndefined();
});
