import { expect, test } from '@jest/globals';
import type { CheckFacts } from './facts.ts';
import { whyNoVersion } from './why-unmet.ts';

const POD: CheckFacts = { by: 'pod', scheduled: true, pending: false };
const BY_HAND =
  'It has no check_interval, so a check starts only with `millrace resources check`, ' +
  '"Check now" in the console, or a webhook.';

test.each<[string, CheckFacts | undefined, string]>([
  ['nothing more if the check is not known', undefined, ''],
  [
    'how to start a check, if the resource has no check_interval and was never checked',
    { ...POD, scheduled: false },
    ` ${BY_HAND}`,
  ],
  [
    'that the first check runs, even if a person has requested it',
    { ...POD, scheduled: false, pending: true },
    ' Its first check has not ended yet.',
  ],
  ['that the first check of a schedule has not ended', POD, ' Its first check has not ended yet.'],
  [
    'that the time of a cron resource has not come',
    { ...POD, by: 'cron' },
    ' The first time of its check_interval has not come yet.',
  ],
  [
    'that the last check failed',
    { ...POD, last: 'failed' },
    ' Its last check failed; `millrace resources get` shows why.',
  ],
  ['that the last check found nothing', { ...POD, last: 'succeeded' }, ' Its last check found none.'],
  [
    'how to start another check without a check_interval',
    { ...POD, scheduled: false, last: 'failed' },
    ` Its last check failed; \`millrace resources get\` shows why. ${BY_HAND}`,
  ],
  [
    'who emits the events of a trigger',
    { ...POD, by: 'stream', scheduled: false },
    ' Its versions come from puts and from `millrace triggers emit`.',
  ],
  [
    'that only puts make versions of a type without a check',
    { ...POD, by: 'nothing', scheduled: false },
    ' Its type has no check, so its versions come only from puts.',
  ],
])('why a resource has no version says %s', (_, check, addition) => {
  const resource = { id: 1, name: 'tick.a', ...(check !== undefined && { check }) };
  expect(whyNoVersion(resource, { idOf: (place) => place })).toEqual({
    code: 'NoVersion',
    message: `No version of tick.a is known yet.${addition}`,
    data: { resource: 'tick.a' },
  });
});
