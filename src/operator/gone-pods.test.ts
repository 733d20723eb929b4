import { expect, test } from '@jest/globals';
import type { PodFacts } from '#flows/pods/ports.ts';
import { GonePods } from './gone-pods.ts';

const KEY = 'blue/app-unit-1-1';
const pod = (uid: string): PodFacts => ({
  namespace: 'blue',
  name: 'app-unit-1-1',
  uid,
  sealed: true,
  work: { kind: 'build', build: 1, attempt: 1 },
  createdAt: new Date(0),
  deleting: true,
  phase: 'Failed',
  scheduled: true,
  containers: [],
});
const uids = (gone: GonePods): string[] => gone.of(KEY).map(({ uid }) => uid);

test('a Pod deleted while an earlier one of the same name is handled comes next', () => {
  const gone = new GonePods();
  gone.add(KEY, pod('one'));
  const [first] = gone.of(KEY);
  gone.add(KEY, pod('two'));
  expect(uids(gone)).toEqual(['one', 'two']);
  gone.handled(KEY, first ?? pod(''));
  expect(uids(gone)).toEqual(['two']);
});
