import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { repeatBeside } from './repeat-beside.ts';

test('calls are repeated until the work has ended', async () => {
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

test('a repeated call that fails is an error at once, even while the work goes on', async () => {
  await expect(repeatBeside(endless, { repeat: fail, pauseMs: 1 })).rejects.toThrow('no table');
});

test('work that fails is an error and ends the repetition', async () => {
  let calls = 0;
  await expect(repeatBeside(fail, { repeat: () => (calls += 1), pauseMs: 1 })).rejects.toThrow('no table');
  await sleep(20);
  expect(calls).toBe(1);
});
