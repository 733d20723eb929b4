import { expect, test } from '@jest/globals';
import { buildLabels, realPod } from '#testing/kubernetes/foreign-pods.ts';
import { ForeignPodCache } from './foreign-pods.ts';

const pod = (namespace: string, uid: string, build = 1) =>
  realPod({ namespace, name: 'x', uid, labels: buildLabels(build, 1) });

test('a foreign Pod is identified by its uid and by the work in its labels', () => {
  const foreign = new ForeignPodCache(() => undefined);
  foreign.add(pod('red', 'u1'), 'no');
  expect(foreign.has({ ...pod('red', 'u1'), phase: 'Failed' })).toBe(true);
  expect(foreign.has(pod('red', 'u1', 2))).toBe(false);
  expect(foreign.has(pod('red', 'u2'))).toBe(false);
});

test('at most one foreign Pod of a namespace is reported in a minute', () => {
  const logged: string[] = [];
  let now = 0;
  const foreign = new ForeignPodCache(
    ({ namespace, uid }) => void logged.push(`${namespace} ${uid}`),
    () => now,
  );
  for (const uid of ['u1', 'u2', 'u3']) foreign.add(pod('red', uid), 'no');
  foreign.add(pod('blue', 'u4'), 'no');
  now = 60_000;
  foreign.add(pod('red', 'u5'), 'no');
  expect(logged).toEqual(['red u1', 'blue u4', 'red u5']);
});
