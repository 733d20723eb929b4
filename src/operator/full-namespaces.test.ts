import { beforeEach, describe, expect, test } from '@jest/globals';
import { FullNamespaces } from './full-namespaces.ts';

let namespaces: FullNamespaces;
/** The freed namespaces of each start of builds. */
let freed: string[][];
beforeEach(() => {
  namespaces = new FullNamespaces();
  freed = [];
});

/** Starts builds, and finds that these namespaces are full. */
const start = (fullNamespaces: string[] = [], meanwhile: () => void = () => undefined): Promise<boolean> =>
  namespaces.startBuilds((freedNamespaces) => {
    freed.push(freedNamespaces);
    meanwhile();
    return Promise.resolve({ fullNamespaces });
  });

describe('the end of a Pod', () => {
  test('has no effect if its namespace is not full', async () => {
    await start(['blue']);
    expect(namespaces.podEnded('red')).toBe(false);
    await start();
    expect(freed).toEqual([[], []]);
  });

  test('lets the builds of its full namespace be tried again, once', async () => {
    await start(['blue']);
    expect(namespaces.podEnded('blue')).toBe(true);
    await start(['blue']);
    await start();
    expect(freed).toEqual([[], ['blue'], []]);
  });

  test('during a start of builds counts for a namespace that this start finds full', async () => {
    expect(await start(['blue'], () => namespaces.podEnded('blue'))).toBe(true);
    expect(await start()).toBe(false);
    expect(freed).toEqual([[], ['blue']]);
  });

  test('still counts if builds could not be started', async () => {
    await start(['blue']);
    namespaces.podEnded('blue');
    await expect(namespaces.startBuilds(() => Promise.reject(new Error('no database')))).rejects.toThrow(
      'no database',
    );
    await start();
    expect(freed).toEqual([[], ['blue']]);
  });
});

test('a namespace is full until a Pod has ended and the next start of builds finds it not full', async () => {
  await start(['blue', 'red']);
  await start();
  expect(namespaces.podEnded('red')).toBe(true);
  await start();
  expect(namespaces.podEnded('red')).toBe(false);
  expect(namespaces.podEnded('blue')).toBe(true);
});
