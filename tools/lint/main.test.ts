import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CONFIGURATION, configurationText } from './main.ts';
import { filesOf, readTable, seenBy } from './table.ts';

test('.oxlintrc.json equals what the generator writes from config/lint.yaml', async () => {
  expect(readFileSync(CONFIGURATION, 'utf8')).toBe(await configurationText());
});

test('a folder may import all folders before it, unless it lists others', () => {
  const folders = [{ name: 'a' }, { name: 'b' }, { name: 'c', sees: ['a'] }, { name: 'd', sees: [] }];
  expect([...seenBy(folders)]).toEqual([
    ['a', []],
    ['b', ['a']],
    ['c', ['a']],
    ['d', []],
  ]);
});

test('the rules of a folder exclude an inner folder with rules of its own', () => {
  const folders = [{ name: 'a/b' }, { name: 'a' }];
  expect(folders.map((folder) => filesOf('adapters/x', folder, folders))).toEqual([
    'src/adapters/x/a/b/**/*.ts',
    'src/adapters/x/a/*.ts',
  ]);
});

test('a folder may import only folders of the table', () => {
  const { domain, flows, adapters } = readTable();
  const rooms = [domain, flows, ...adapters.rooms].map(({ folders = [] }) => folders);
  for (const folders of rooms) {
    const names = folders.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...seenBy(folders).values()].flat()));
  }
});
