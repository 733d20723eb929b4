import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { runLatest } from './run-latest.ts';

test('it runs once nobody has asked for a time, with the newest input', async () => {
  const inputs: string[] = [];
  const ask = runLatest(async (input: string) => void inputs.push(input), 20);
  ask('a');
  ask('ab');
  expect(inputs).toEqual([]);
  await sleep(60);
  expect(inputs).toEqual(['ab']);
});

test('it never runs twice at once, and of inputs that come meanwhile takes the newest', async () => {
  const inputs: string[] = [];
  const first = Promise.withResolvers<void>();
  const ask = runLatest(async (input: string) => {
    inputs.push(input);
    if (input === 'a') await first.promise;
  }, 5);
  ask('a');
  await sleep(30);
  ask('ab');
  ask('abc');
  await sleep(30);
  expect(inputs).toEqual(['a']);
  first.resolve();
  await sleep(60);
  expect(inputs).toEqual(['a', 'abc']);
});
