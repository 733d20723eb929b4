import { expect, test } from '@jest/globals';
import { htmlTable } from './data-table.ts';

const table = String(
  htmlTable(
    [{ name: 'a', note: '' }],
    [
      { title: 'Name', cell: ({ name }) => name },
      { title: 'Note', cell: ({ note }) => note },
      { title: 'Delete', titleHidden: true, cell: () => 'x' },
    ],
  ),
);

test('an empty cell contains no space, so that CSS hides it on a phone', () => {
  expect(table).toContain('<td role="cell" data-title="Note"></td>');
});

test('a cell whose title is hidden has no title on a phone', () => {
  expect(table).toMatch(/<td role="cell" ?>x<\/td>/);
});
