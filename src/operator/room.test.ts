import { beforeEach, describe, expect, test } from '@jest/globals';
import { Room } from './room.ts';

let room: Room;
let offered: string[][];
beforeEach(() => {
  room = new Room();
  offered = [];
});

/** A look at the builds that finds these namespaces short. */
const look = (short: string[] = [], meanwhile: () => void = () => undefined): Promise<boolean> =>
  room.use((namespaces) => {
    offered.push(namespaces);
    meanwhile();
    return Promise.resolve({ short });
  });

describe('the end of a Pod', () => {
  test('is nobody’s business while no build waits for room there', async () => {
    await look(['blue']);
    expect(room.ended('red')).toBe(false);
    await look();
    expect(offered).toEqual([[], []]);
  });

  test('is room for those that wait there, once', async () => {
    await look(['blue']);
    expect(room.ended('blue')).toBe(true);
    await look(['blue']);
    await look();
    expect(offered).toEqual([[], ['blue'], []]);
  });

  test('while builds are being started counts for those that found no room in that time', async () => {
    expect(await look(['blue'], () => room.ended('blue'))).toBe(true);
    expect(await look()).toBe(false);
    expect(offered).toEqual([[], ['blue']]);
  });

  test('is not forgotten when the builds could not be started', async () => {
    await look(['blue']);
    room.ended('blue');
    await expect(room.use(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    await look();
    expect(offered).toEqual([[], ['blue']]);
  });
});

test('a namespace stays short until it was offered room and nobody wanted more', async () => {
  await look(['blue', 'red']);
  await look();
  expect(room.ended('red')).toBe(true);
  await look();
  expect(room.ended('red')).toBe(false);
  expect(room.ended('blue')).toBe(true);
});
