import { expect, test } from '@jest/globals';
import { MAX_WAITING_TRIGGERS, MAX_WAITING_TRIGGERS_PER_ACCOUNT, TriggerLimits } from './trigger-limits.ts';

const busy = { answer: 'busy' };

test('one account can have a limited number of waiting triggers, and other accounts are not affected', async () => {
  const waiting = new TriggerLimits();
  const { promise: checked, resolve } = Promise.withResolvers<string>();
  const own = Array.from({ length: MAX_WAITING_TRIGGERS_PER_ACCOUNT }, () =>
    waiting.wait('ann', () => checked),
  );
  expect(await waiting.wait('ann', () => checked)).toEqual(busy);
  expect(await waiting.wait('ben', async () => 'created')).toBe('created');
  resolve('created');
  expect(new Set(await Promise.all(own))).toEqual(new Set(['created']));
  expect(await waiting.wait('ann', async () => 'created')).toBe('created');
});

test('all accounts together can have a limited number of waiting triggers', async () => {
  const waiting = new TriggerLimits();
  const { promise: checked, resolve } = Promise.withResolvers<string>();
  const all = Array.from({ length: MAX_WAITING_TRIGGERS }, (_, index) =>
    waiting.wait(`${index}`, () => checked),
  );
  expect(await waiting.wait('one more', () => checked)).toEqual(busy);
  resolve('created');
  await Promise.all(all);
});

test('a failed trigger no longer counts', async () => {
  const waiting = new TriggerLimits();
  for (let turn = 0; turn <= MAX_WAITING_TRIGGERS_PER_ACCOUNT; turn += 1)
    await expect(waiting.wait('ann', () => Promise.reject(new Error('of the test')))).rejects.toThrow(
      'of the test',
    );
});
