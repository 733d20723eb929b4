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
  ['a Pod that no watch has told of yet is starting', undefined, { created: 1 }, 'starting'],
  ['one that no watch tells of at all is not', undefined, { created: 30 }, undefined],
  ['one whose containers are being created is starting', creating, { created: 5, scheduled: 4 }, 'starting'],
  ['one that waited long for its node starts then', creating, { created: 3000, scheduled: 1 }, 'starting'],
  ['one that stays on its node for minutes no longer counts', creating, { created: 121 }, undefined],
  ['one that the scheduler has not looked at is starting', noNode, { created: 3 }, 'starting'],
  [
    'one for which there is no node is unplaced',
    { ...noNode, unschedulable: '0/2 nodes' },
    { created: 1 },
    'unplaced',
  ],
  ['one that the scheduler does not look at is unplaced', noNode, { created: 11 }, 'unplaced'],
  [
    'one whose image cannot be pulled loads nothing',
    { ...creating, ...waiting('ErrImagePull') },
    { created: 5 },
    undefined,
  ],
  [
    'one that cannot be created loads nothing',
    { ...creating, ...waiting('CreateContainerConfigError') },
    { created: 5 },
    undefined,
  ],
  ['one that is being deleted is none', { ...creating, deleting: true }, { created: 5 }, undefined],
  ['one that has failed is none', { ...creating, phase: 'Failed' }, { created: 5 }, undefined],
  [
    'one whose agent runs and has not spoken is starting',
    { ...creating, phase: 'Running', containers: [{ name: 'agent', state: 'running' }] },
    { created: 5 },
    'starting',
  ],
])('%s', (_, pod, ages, expected) => {
  expect(judgeStarting(pod, ages)).toBe(expected);
});
