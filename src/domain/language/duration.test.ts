import { expect, test } from '@jest/globals';
import { suggestDuration } from './duration.ts';

test.each([
  ['writes seconds for a number', '90', 'Write "90s" for seconds.'],
  ['writes hours for days', '1d 2 hours', 'Write "24h2h": hours are the longest unit.'],
  ['writes the units of Go', '5 min', 'Write "5m".'],
  ['is absent for an unknown unit', '5 moons', undefined],
  ['is absent for more parts than people write', '1d '.repeat(11), undefined],
])('the advice for a wrong duration %s', (_, text, advice) => {
  expect(suggestDuration(text)).toBe(advice);
});
