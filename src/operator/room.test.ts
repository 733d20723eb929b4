import { beforeEach, describe, expect, test } from '@jest/globals';
import { Room } from './room.ts';

let room: Room;
let offered: string[][];
beforeEach(() => {
  room = new Room();
  offered = [];
});

/** A round of starting builds that finds these namespaces short of room. */
const look = (short: string[] = [], meanwhile: () => void = () => undefined): Promise<boolean> =>
  room.use((namespaces) => {
    offered.push(namespaces);
    meanwhile();
    return Promise.resolve({ short });
  });

describe('the end of a Pod', () => {
  test('has no effect if no build waits for room in its namespace', async () => {
    await look(['blue']);
    expect(room.ended('red')).toBe(false);
    await look();
    expect(offered).toEqual([[], []]);
  });

  test('gives room to the builds that wait in its namespace, once', async () => {
    await look(['blue']);
    expect(room.ended('blue')).toBe(true);
    await look(['blue']);
    await look();
    expect(offered).toEqual([[], ['blue'], []]);
  });

  test('during a start of builds counts for builds that found no room in that time', async () => {
    expect(await look(['blue'], () => room.ended('blue'))).toBe(true);
    expect(await look()).toBe(false);
    expect(offered).toEqual([[], ['blue']]);
  });

  test('still counts if builds could not be started', async () => {
    await look(['blue']);
    room.ended('blue');
    await expect(room.use(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    await look();
    expect(offered).toEqual([[], ['blue']]);
  });
});

test('a namespace is short of room until room was offered and no build needed it', async () => {
  await look(['blue', 'red']);
  await look();
  expect(room.ended('red')).toBe(true);
  await look();
  expect(room.ended('red')).toBe(false);
  expect(room.ended('blue')).toBe(true);
});
