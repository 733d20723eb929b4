import { expect, test } from '@jest/globals';
import { scheduleNow, webhookWorks, type CheckEnded } from './webhook-pace.ts';

test.each<[string, [CheckEnded['cause'], number][], boolean]>([
  ['a webhook that never came does not work yet', [['schedule', 1]], false],
  ['a webhook that brought a version works', [['webhook', 1]], true],
  ['a webhook that brought nothing proves nothing', [['webhook', 0]], false],
  [
    'a webhook counts as working while scheduled checks find nothing',
    [
      ['webhook', 1],
      ['schedule', 0],
    ],
    true,
  ],
  [
    'a webhook stops counting as working when a scheduled check finds what it missed',
    [
      ['webhook', 1],
      ['schedule', 1],
    ],
    false,
  ],
  [
    "a version that a person's check finds says nothing about the webhook",
    [
      ['webhook', 1],
      ['manual', 1],
    ],
    true,
  ],
  [
    'a webhook works again when it brings a version again',
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

test('the rarer schedule applies while webhooks work, if there is one', () => {
  const schedule = { kind: 'every', seconds: 60 } as const;
  const webhookSchedule = { kind: 'every', seconds: 3600 } as const;
  expect(scheduleNow({ schedule, webhookSchedule }, false)).toBe(schedule);
  expect(scheduleNow({ schedule, webhookSchedule }, true)).toBe(webhookSchedule);
  expect(scheduleNow({ schedule }, true)).toBe(schedule);
  expect(scheduleNow({}, true)).toBeUndefined();
});
