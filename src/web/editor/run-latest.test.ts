import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { runLatest } from './run-latest.ts';

test('the task runs with the newest input, after a pause without input', async () => {
  const inputs: string[] = [];
  const ask = runLatest(async (input: string) => void inputs.push(input), 20);
  ask('a');
  ask('ab');
  expect(inputs).toEqual([]);
  await sleep(60);
  expect(inputs).toEqual(['ab']);
});

test('the task never runs twice at once, and runs again with the newest input that arrived during a run', async () => {
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

test('an input that arrives during a run waits for its whole pause, even if the run ends earlier', async () => {
  const inputs: string[] = [];
  const ask = runLatest(async (input: string) => {
    inputs.push(input);
    if (inputs.length === 1) ask('again', 400);
    await sleep(5);
  }, 5);
  ask('a');
  await sleep(200);
  expect(inputs).toEqual(['a']);
  await sleep(500);
  expect(inputs).toEqual(['a', 'again']);
});
