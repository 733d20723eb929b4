import { expect, test } from '@jest/globals';
import { refusedWords } from './refused-words.ts';

test.each([
  ['told', ['"told": say reported, printed or received']],
  ['keptSources', ['"kept": say stored, cached or retained']],
  ['HTTPDoor', ['"door": say entry point, or component']],
  ['MOST_BYTES', ['"MOST_": say MAX_']],
  ['LONGEST_WAIT_MS', ['"LONGEST_": say MAX_']],
  ['STRANGER_LIMITS', ['"stranger": say non-member, or the public']],
  [
    'toldWhoever',
    ['"told": say reported, printed or received', '"whoever": say the role: user, caller, reader'],
  ],
])('refuses the name %s', (name, reasons) => {
  expect(refusedWords(name)).toEqual(reasons);
});

test.each(['atMost', 'MAX_BYTES', 'early', 'bellows', 'indoors', 'publicViews', 'constructor'])(
  'accepts the name %s',
  (name) => {
    expect(refusedWords(name)).toEqual([]);
  },
);
