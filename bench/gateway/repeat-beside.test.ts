import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { repeatBeside } from './repeat-beside.ts';

test('it repeats until the work has ended', async () => {
  const { promise: hasRepeated, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  const repeat = () => void ((calls += 1) === 3 && resolve());
  const work = async (): Promise<string> => {
    await hasRepeated;
    return 'done';
  };
  expect(await repeatBeside(work, { repeat, pauseMs: 1 })).toBe('done');
  expect(calls).toBe(3);
});

const fail = async (): Promise<never> => {
  throw new Error('no table');
};
const endless = async (): Promise<void> => await new Promise(() => undefined);

test('it fails at once if what it repeats fails', async () => {
  await expect(repeatBeside(endless, { repeat: fail, pauseMs: 1 })).rejects.toThrow('no table');
});

test('it fails if the work fails, and does not repeat again', async () => {
  let calls = 0;
  await expect(repeatBeside(fail, { repeat: () => (calls += 1), pauseMs: 1 })).rejects.toThrow('no table');
  await sleep(20);
  expect(calls).toBe(1);
});
