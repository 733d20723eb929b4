import { expect, test } from '@jest/globals';
import { MAX_WAITING_TRIGGERS, MAX_WAITING_TRIGGERS_PER_ACCOUNT, TriggerLimits } from './trigger-limits.ts';

const busy = { answer: 'busy' };

test('one account can have a limited number of waiting triggers, and other accounts are not affected', async () => {
  const limits = new TriggerLimits();
  const { promise: checks, resolve } = Promise.withResolvers<string>();
  const waitingTriggers = Array.from({ length: MAX_WAITING_TRIGGERS_PER_ACCOUNT }, () =>
    limits.wait('ann', () => checks),
  );
  expect(await limits.wait('ann', () => checks)).toEqual(busy);
  expect(await limits.wait('ben', async () => 'created')).toBe('created');
  resolve('created');
  expect(new Set(await Promise.all(waitingTriggers))).toEqual(new Set(['created']));
  expect(await limits.wait('ann', async () => 'created')).toBe('created');
});

test('all accounts together can have a limited number of waiting triggers', async () => {
  const limits = new TriggerLimits();
  const { promise: checks, resolve } = Promise.withResolvers<string>();
  const waitingTriggers = Array.from({ length: MAX_WAITING_TRIGGERS }, (_, index) =>
    limits.wait(`${index}`, () => checks),
  );
  expect(await limits.wait('one more', () => checks)).toEqual(busy);
  resolve('created');
  await Promise.all(waitingTriggers);
});

test('a failed trigger no longer counts', async () => {
  const limits = new TriggerLimits();
  for (let turn = 0; turn <= MAX_WAITING_TRIGGERS_PER_ACCOUNT; turn += 1)
    await expect(limits.wait('ann', () => Promise.reject(new Error('of the test')))).rejects.toThrow(
      'of the test',
    );
});
