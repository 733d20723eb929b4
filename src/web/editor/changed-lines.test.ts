import { expect, test } from '@jest/globals';
import { changedLines } from './changed-lines.ts';

const markedLines = (before: string, after: string): string[] =>
  changedLines(before, after).map(({ mark, text }) => `${mark}${text}`);

test.each<[sentence: string, before: string, after: string, lines: string[]]>([
  ['equal texts have no changes', 'a\nb', 'a\nb', []],
  ['a changed line is removed and added', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['all lines of a new text are added', '', 'a\nb', ['+a', '+b']],
  [
    'lines far from a change are left out',
    '1\n2\n3\n4\n5\n6',
    '1\n2\n3\n4\n5\nx',
    ['…', ' 3', ' 4', ' 5', '-6', '+x'],
  ],
])('%s', (_, before, after, lines) => {
  expect(markedLines(before, after)).toEqual(lines);
});

test('if texts differ in too many lines, all lines are removed and added', () => {
  const lines = changedLines(many('old'), many('new'));
  expect(lines.filter(({ mark }) => mark === '-').length).toBe(3000);
  expect(lines.length).toBe(6000);
});

const many = (word: string): string => Array.from({ length: 3000 }, (_, at) => `${word} ${at}`).join('\n');
