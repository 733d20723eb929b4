import { describe, expect, test } from '@jest/globals';
import { Store, type CachedObject } from './store.ts';

const object = (name: string, uid: string, resourceVersion: string): CachedObject => ({
  namespace: 'ci',
  name,
  uid,
  resourceVersion,
});

function changesOf(
  ...steps: ((store: Store<CachedObject>) => { type: string; object: CachedObject }[])[]
): string[] {
  const store = new Store<CachedObject>();
  return steps
    .flatMap((step) => step(store))
    .map((change) => `${change.type} ${change.object.name} ${change.object.uid}`);
}

describe('a store of watched objects reports', () => {
  test.each<[string, string[], string[]]>([
    [
      'that an object is added, changed and deleted',
      changesOf(
        (store) => store.put(object('a', 'u1', '1')),
        (store) => store.put(object('a', 'u1', '2')),
        (store) => store.remove(object('a', 'u1', '3')),
      ),
      ['added a u1', 'updated a u1', 'deleted a u1'],
    ],
    [
      'nothing for a version that it has seen',
      changesOf(
        (store) => store.put(object('a', 'u1', '1')),
        (store) => store.put(object('a', 'u1', '1')),
      ),
      ['added a u1'],
    ],
    [
      'a deletion and an addition if the name has another uid',
      changesOf(
        (store) => store.put(object('a', 'u1', '1')),
        (store) => store.put(object('a', 'u2', '2')),
      ),
      ['added a u1', 'deleted a u1', 'added a u2'],
    ],
    [
      'nothing for the end of an object that has been replaced already',
      changesOf(
        (store) => store.put(object('a', 'u1', '1')),
        (store) => store.put(object('a', 'u2', '2')),
        (store) => store.remove(object('a', 'u1', '3')),
      ),
      ['added a u1', 'deleted a u1', 'added a u2'],
    ],
    [
      'the difference between its contents and a full list',
      changesOf(
        (store) => store.replace([object('a', 'u1', '1'), object('b', 'u2', '2'), object('c', 'u3', '3')]),
        (store) => store.replace([object('a', 'u1', '1'), object('b', 'u9', '8'), object('d', 'u4', '9')]),
      ),
      ['added a u1', 'added b u2', 'added c u3', 'deleted c u3', 'deleted b u2', 'added b u9', 'added d u4'],
    ],
  ])('%s', (_, changes, expected) => {
    expect(changes).toEqual(expected);
  });
});
