import { describe, expect, test } from '@jest/globals';
import { decideStartTimes, type StartedPod, type StartingAttempt } from './start-times.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 26, 12) + seconds * 1000);

/** An attempt whose Pod was created at 10.4 s. In RUNNING, its first step started at 20.6 s. */
const BEFORE_STEPS = { isRecorded: false, isWarm: false, podCreatedAt: at(10.4) };
const RUNNING: StartingAttempt = { ...BEFORE_STEPS, state: 'running', firstStepAt: at(20.6) };
/**
 * The Pod got its node at 12 s, and its containers started at 13 and 20 s. The API server reports whole
 * seconds.
 */
const WITHOUT_NODE: StartedPod = { containers: [{ startedAt: at(13) }, { startedAt: at(20) }], seen: {} };
const STARTED: StartedPod = { ...WITHOUT_NODE, scheduledAt: at(12) };

test.each<[string, Partial<StartedPod>, [scheduled: number, containers: number]]>([
  ['an operator that saw nothing takes the times of the API server', {}, [12, 20]],
  [
    'a time that was seen within the reported second is used, because it is more exact',
    { seen: { scheduledAt: at(12.3), containersStartedAt: at(20.5) } },
    [12.3, 20.5],
  ],
  [
    'an operator that sees the Pod late takes the times of the API server',
    { seen: { scheduledAt: at(13), containersStartedAt: at(75) } },
    [12, 20],
  ],
  [
    'a time that was seen after the first step began is not used',
    { scheduledAt: at(20), seen: { scheduledAt: at(20.7), containersStartedAt: at(20.8) } },
    [20, 20],
  ],
  [
    'if the clock of the API server is ahead, the time that was seen is used',
    { scheduledAt: at(72), seen: { scheduledAt: at(12.3) } },
    [12.3, 20],
  ],
  [
    'a Pod that got its node in the second of its creation got it at its creation',
    { scheduledAt: at(10) },
    [10.4, 20],
  ],
  ['a clock of the API server that is behind gives no negative time', { scheduledAt: at(-50) }, [10.4, 20]],
  [
    'a clock of the node that is behind gives no negative time',
    { containers: [{ startedAt: at(-50) }] },
    [12, 12],
  ],
  [
    'containers that started in the second in which the Pod got its node did not start earlier',
    { seen: { scheduledAt: at(12.8) }, containers: [{ startedAt: at(12) }] },
    [12.8, 12.8],
  ],
])('%s', (_name, more, [scheduled, containers]) => {
  expect(decideStartTimes(RUNNING, { ...STARTED, ...more })).toEqual({
    scheduledAt: at(scheduled),
    containersStartedAt: at(containers),
  });
});

describe('nothing is recorded', () => {
  test.each<[string, Partial<StartingAttempt>, StartedPod]>([
    ['before the first step', { state: 'starting' }, STARTED],
    ['twice', { isRecorded: true }, STARTED],
    ['of a warm Pod', { isWarm: true }, STARTED],
    ['of a Pod without the time of its node', { state: 'over' }, WITHOUT_NODE],
    ['while a container has not started', {}, { ...STARTED, containers: [{ startedAt: at(13) }, {}] }],
    ['while the kubelet reports no container', {}, { ...STARTED, containers: [] }],
  ])('%s', (_name, attempt, pod) => {
    expect(decideStartTimes({ ...RUNNING, ...attempt }, pod)).toBeUndefined();
  });
});

test.each<[string, StartedPod['containers']]>([
  [
    'an attempt that ends while an image is missing has only the time of its node',
    [{ startedAt: at(13) }, {}],
  ],
  ['an attempt that ends before the kubelet reports containers has only the time of its node', []],
])('%s', (_name, containers) => {
  expect(decideStartTimes({ ...BEFORE_STEPS, state: 'over' }, { ...STARTED, containers })).toEqual({
    scheduledAt: at(12),
  });
});

test('an attempt that has ended after its first step has both times', () => {
  expect(decideStartTimes({ ...RUNNING, state: 'over' }, STARTED)).toEqual({
    scheduledAt: at(12),
    containersStartedAt: at(20),
  });
});
