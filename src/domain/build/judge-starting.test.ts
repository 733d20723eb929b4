import { expect, test } from '@jest/globals';
import { judgeStarting, type StartingAges } from './judge-starting.ts';
import type { PodReport } from './pod-report.ts';

const creating: PodReport = {
  phase: 'Pending',
  deleting: false,
  scheduled: true,
  containers: [{ name: 'agent', state: 'waiting', reason: 'ContainerCreating' }],
};
const noNode: PodReport = { ...creating, scheduled: false };
const waiting = (reason: string): Partial<PodReport> => ({
  containers: [
    { name: 'agent', state: 'running' },
    { name: 'step', state: 'waiting', reason },
  ],
});

test.each<[string, pod: PodReport | undefined, StartingAges, ReturnType<typeof judgeStarting>]>([
  ['that no watch has reported yet is starting', undefined, { created: 1 }, 'starting'],
  ['that no watch has reported for half a minute is not starting', undefined, { created: 30 }, undefined],
  ['whose containers are being created is starting', creating, { created: 5, scheduled: 4 }, 'starting'],
  [
    'that waited long for its node is starting when it has one',
    creating,
    { created: 3000, scheduled: 1 },
    'starting',
  ],
  [
    'that has been on its node for two minutes no longer counts as starting',
    creating,
    { created: 121 },
    undefined,
  ],
  ['that the scheduler has not tried yet is starting', noNode, { created: 3 }, 'starting'],
  ['that fits on no node is unplaced', { ...noNode, unschedulable: '0/2 nodes' }, { created: 1 }, 'unplaced'],
  ['that the scheduler ignores is unplaced', noNode, { created: 11 }, 'unplaced'],
  [
    'whose image cannot be pulled is not starting',
    { ...creating, ...waiting('ErrImagePull') },
    { created: 5 },
    undefined,
  ],
  [
    'with a container that cannot be created is not starting',
    { ...creating, ...waiting('CreateContainerConfigError') },
    { created: 5 },
    undefined,
  ],
  ['that is being deleted is not starting', { ...creating, deleting: true }, { created: 5 }, undefined],
  ['that has failed is not starting', { ...creating, phase: 'Failed' }, { created: 5 }, undefined],
  [
    'whose agent runs but has not connected is starting',
    { ...creating, phase: 'Running', containers: [{ name: 'agent', state: 'running' }] },
    { created: 5 },
    'starting',
  ],
])('a Pod %s', (_, pod, ages, expected) => {
  expect(judgeStarting(pod, ages)).toBe(expected);
});
