import { expect, test } from '@jest/globals';
import { readLineLink, selectLine, writeLineLink, type LineLink } from './line-link.ts';

const LINKS: Record<string, LineLink | undefined> = {
  '#step-1': { key: 'step-1' },
  '#step-1:L12': { key: 'step-1', first: 12, last: 12 },
  '#step-1.ensure.0@2:L12-L20': { key: 'step-1.ensure.0@2', first: 12, last: 20 },
  '#step-service.db.start:L3': { key: 'step-service.db.start', first: 3, last: 3 },
  '#log-title': undefined,
  '#step-1:Lx%': undefined,
  '': undefined,
};

test.each(Object.entries(LINKS))('the link %j is read and written', (hash, link) => {
  expect(readLineLink(hash)).toEqual(link);
  if (link !== undefined) expect(writeLineLink(link)).toBe(hash);
});

test('a range may begin with its last line', () => {
  expect(readLineLink('#step-1:L20-L12')).toEqual({ key: 'step-1', first: 12, last: 20 });
});

test('a click selects a line, and a click with Shift selects a range in the same step', () => {
  const first = selectLine(undefined, { key: 'step-1', line: 9, extend: true });
  expect(first).toEqual({ key: 'step-1', first: 9, last: 9 });
  expect(selectLine(first, { key: 'step-1', line: 4, extend: true })).toEqual({
    key: 'step-1',
    first: 4,
    last: 9,
  });
  expect(selectLine(first, { key: 'step-2', line: 4, extend: true })).toEqual({
    key: 'step-2',
    first: 4,
    last: 4,
  });
});
