import { expect, test } from '@jest/globals';
import type { PodFacts } from '#flows/pods/ports.ts';
import { podOfRun } from '#flows/pods/verify-pods.ts';
import type { OpenRun } from '#flows/pods/workloads.ts';
import { checksWithoutScopes } from '#testing/flows/check-transactions.ts';
import { InMemoryCaches } from '#testing/flows/in-memory-caches.ts';
import { followCheckPod, type FollowChecksPorts } from './follow-check-pods.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const run: OpenRun = {
  run: 7,
  team: 'team',
  pipeline: 'app',
  namespace: 'team',
  group: 'g',
  pipelineId: 1,
  openedAt: at(0),
  seen: true,
  byCronJob: false,
  hooks: false,
};
const deletedPod: PodFacts = {
  namespace: 'team',
  name: 'check-app-7',
  uid: 'uid',
  sealed: true,
  work: { kind: 'checks', pipelineId: 1, run: 7 },
  createdAt: at(0),
  deleting: true,
  deletedAt: at(100),
  phase: 'Running',
  scheduled: true,
  containers: [{ name: 'agent', image: 'agent', state: 'running' }],
};

const portsAt = (now: number, errors: unknown[]): FollowChecksPorts => ({
  checks: {
    ...checksWithoutScopes((_run, error) => errors.push(error)),
    releaseRun: async () => undefined,
    runFacts: async () => undefined,
  },
  cluster: {
    deletePod: async () => undefined,
    teamPods: () => undefined,
    nodeLabel: (tag) => tag,
    runningPods: () => 0,
    prepareClaim: async () => ({ answer: 'ready' }),
    createCheckPod: async () => ({ answer: 'refused', reason: 'Invalid', message: 'x' }),
  },
  caches: new InMemoryCaches(),
  notifications: { notify: () => undefined },
  now: () => at(now),
});

test.each([
  ['a deleted Pod of a check is given time to end', 219, 'wait', []],
  ['a deleted Pod of a check that never ends is lost', 220, 'closed', [expect.stringContaining('is lost')]],
])('%s', async (_name, now, answer, expectedErrors) => {
  const errors: unknown[] = [];
  expect(await followCheckPod(run, podOfRun(run, [deletedPod]), portsAt(now, errors))).toBe(answer);
  expect(errors).toEqual(expectedErrors);
});

const podWithDeadContainer: PodFacts = {
  namespace: 'team',
  name: 'check-app-7',
  uid: 'uid',
  sealed: true,
  work: { kind: 'checks', pipelineId: 1, run: 7 },
  createdAt: at(0),
  deleting: false,
  phase: 'Running',
  scheduled: true,
  containers: [
    { name: 'agent', image: 'agent', state: 'running' },
    {
      name: 'worker',
      image: 'agent',
      state: 'terminated',
      exitCode: 137,
      reason: 'Error',
      finishedAt: at(10),
    },
  ],
};

test.each([
  ['a check whose container died is left to its agent for half a minute', 39, 'wait', []],
  [
    'a check whose container died and whose agent does not report that has failed, with the reason',
    40,
    'closed',
    [
      'The Pod of the check failed: The container worker ended before the check had a result (exit code 137).',
    ],
  ],
])('%s', async (_name, now, answer, expectedErrors) => {
  const errors: unknown[] = [];
  expect(await followCheckPod(run, podOfRun(run, [podWithDeadContainer]), portsAt(now, errors))).toBe(answer);
  expect(errors).toEqual(expectedErrors);
});

test('the termination message of an agent that ran no check becomes a sentence for people', async () => {
  const errors: unknown[] = [];
  const termination = {
    format: 1,
    outcome: 'failed',
    reason: 'AgentFault',
    message: 'no connection from worker within 300 s',
    exits: {},
    acknowledged: 0,
  };
  const ended: PodFacts = {
    ...deletedPod,
    deleting: false,
    phase: 'Failed',
    containers: [
      {
        name: 'agent',
        image: 'agent',
        state: 'terminated',
        reason: 'Error',
        exitCode: 1,
        message: JSON.stringify(termination),
      },
    ],
  };
  await followCheckPod(run, podOfRun(run, [ended]), portsAt(10, errors));
  expect(errors).toEqual([
    'The Pod of the check ended before the check had a result: no connection from worker within 300 s.',
  ]);
});
