import { describe, expect, test } from '@jest/globals';
import { newBuildState } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import { judgeMissingImage, judgePending } from './judge-pending.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

const pending: BuildState = newBuildState([{ id: '0', kind: 'task', name: 'unit' }]);
const quiet: AttemptReport = { attempt: 1, retries: 0, ageSeconds: 10 };

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
/** An hour for a node, and a quarter of an hour for everything else. */
const NODE_SECONDS = 3600;
const START_SECONDS = 900;
const late: AttemptReport = { ...quiet, ageSeconds: START_SECONDS + 1 };

describe('a build whose Pod does not run yet', () => {
  const NO_NODE = '0/1 nodes are available: 1 Insufficient memory.';
  const NOT_SEEN = 'The scheduler has not seen the Pod yet.';
  const cases: Record<
    string,
    [seen: PodReport, attempt: Partial<AttemptReport>, judged: PodJudgement, state?: BuildState]
  > = {
    'waits without a message for a scheduler that had no time yet': [
      pod({ scheduled: false }),
      { ageSeconds: 4 },
      { decision: 'wait' },
    ],
    'waits for a scheduler, and says so after some seconds': [
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
    'has a quarter of an hour from when it got its node': [
      pod({ containers: [AGENT, waiting('ContainerCreating')] }),
      { ageSeconds: NODE_SECONDS, scheduledSeconds: START_SECONDS },
      { decision: 'wait' },
    ],
    'has more time than a quarter of an hour from its creation': [
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
    expect(judgePending(state, seen, { ...quiet, ...attempt })).toEqual(judged);
  });
});

/** The kubelet's reason for a waiting container, the build's reason, and the seconds until the build fails. */
const REASONS: [waitingReason: string, reason: 'ImagePullFailed' | 'PodRefused', hopeSeconds: number][] = [
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
  (waitingReason, reason, hopeSeconds) => {
    const containers = [AGENT, waiting(waitingReason, 'because')];
    const message = `The container worker does not start: ${waitingReason}: because`;
    const judgedAt = (ageSeconds: number): PodJudgement =>
      judgePending(pending, pod({ containers }), { ...quiet, ageSeconds });
    const wait: PodJudgement = { decision: 'wait', reason, message };
    const end: PodJudgement = { decision: 'end', outcome: 'failed', reason, message };

    test(`and fails the build after ${hopeSeconds} s`, () => {
      expect(judgedAt(hopeSeconds)).toEqual(hopeSeconds === AT_ONCE ? end : wait);
      expect(judgedAt(hopeSeconds + 1)).toEqual(end);
    });

    test('and explains a Pod without a first step only if it is about an image', () => {
      const isImage = reason === 'ImagePullFailed';
      expect(judgeMissingImage(containers, late)).toEqual(isImage ? end : undefined);
      expect(judgeMissingImage(containers, { ...quiet, ageSeconds: hopeSeconds })).toEqual(
        isImage ? judgedAt(hopeSeconds) : undefined,
      );
    });
  },
);

test('a Pod without a first step does not fail for an image if its containers are only late', () => {
  expect(judgeMissingImage([waiting('ContainerCreating')], late)).toBeUndefined();
  expect(judgeMissingImage([AGENT], late)).toBeUndefined();
});
