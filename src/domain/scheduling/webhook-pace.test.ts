import { expect, test } from '@jest/globals';
import { scheduleNow, webhookWorks, type CheckEnded } from './webhook-pace.ts';

test.each<[string, [CheckEnded['cause'], number][], boolean]>([
  ['nothing is known of a webhook that never came', [['schedule', 1]], false],
  ['a webhook that brought a version works', [['webhook', 1]], true],
  ['one that brought nothing proves nothing', [['webhook', 0]], false],
  [
    'it goes on working while scheduled checks find nothing',
    [
      ['webhook', 1],
      ['schedule', 0],
    ],
    true,
  ],
  [
    'it stopped working when a scheduled check finds what it had not told',
    [
      ['webhook', 1],
      ['schedule', 1],
    ],
    false,
  ],
  [
    'what a person finds says nothing about it',
    [
      ['webhook', 1],
      ['manual', 1],
    ],
    true,
  ],
  [
    'it works again when it brings a version again',
    [
      ['webhook', 1],
      ['schedule', 1],
      ['webhook', 2],
    ],
    true,
  ],
])('%s', (_, checks, expected) => {
  expect(checks.reduce((worked, [cause, found]) => webhookWorks(worked, { cause, found }), false)).toBe(
    expected,
  );
});

test('where webhooks work the rarer schedule holds, if there is one', () => {
  const schedule = { kind: 'every', seconds: 60 } as const;
  const webhookSchedule = { kind: 'every', seconds: 3600 } as const;
  expect(scheduleNow({ schedule, webhookSchedule }, false)).toBe(schedule);
  expect(scheduleNow({ schedule, webhookSchedule }, true)).toBe(webhookSchedule);
  expect(scheduleNow({ schedule }, true)).toBe(schedule);
  expect(scheduleNow({}, true)).toBeUndefined();
});
