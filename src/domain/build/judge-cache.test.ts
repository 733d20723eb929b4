import { expect, test } from '@jest/globals';
import { judgeCache } from './judge-cache.ts';
import type { PodReport } from './pod-report.ts';

const waiting: PodReport = {
  phase: 'Pending',
  deleting: false,
  scheduled: false,
  containers: [],
  hasCache: true,
};
const onNode: PodReport = { ...waiting, scheduled: true, sandboxReady: false };
const noVolume = '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.';

test.each<[string, PodReport, number, string | undefined]>([
  ['mounts nothing after 20 s on its node', onNode, 20, 'The volume of a cache was not mounted within 20 s.'],
  [
    'has no node after 20 s because of its volume',
    { ...waiting, unschedulable: noVolume },
    20,
    `The volume of a cache kept the Pod without a node for 20 s: ${noVolume}`,
  ],
  [
    'has no node after 20 s and the scheduler does not say why',
    waiting,
    20,
    'The volume of a cache kept the Pod without a node for 20 s',
  ],
])('a Pod with a cache that %s is replaced', (_name, pod, seconds, message) => {
  expect(judgeCache(pod, { ageSeconds: seconds })).toBe(message);
});

test.each<[string, PodReport, number]>([
  ['that waits for less than 20 s', onNode, 19],
  ['whose volumes are mounted', { ...onNode, sandboxReady: true }, 60],
  ['that has no node for want of CPU', { ...waiting, unschedulable: '0/1 nodes: Insufficient cpu.' }, 60],
  ['without a cache', { ...onNode, hasCache: false }, 60],
])('a Pod %s goes on waiting', (_name, pod, seconds) => {
  expect(judgeCache(pod, { ageSeconds: seconds })).toBeUndefined();
});

test('the time that a Pod waited for its node does not count as waiting for the mount', () => {
  expect(judgeCache(onNode, { ageSeconds: 60, scheduledSeconds: 19 })).toBeUndefined();
});
