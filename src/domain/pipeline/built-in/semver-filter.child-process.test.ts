import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { semverFilter } from './semver-filter.ts';

// oxfmt-ignore
const TAGS = [
  '0.2.3', '0.2.9', '0.3.0', '1.0.0', '1.2', '1.2.0', '1.2.3-alpine', '1.4.1', '1.4.1-rc.1', '1.4.1-rc.2',
  '1.4.1-rc.10', '1.10.0', '2', '2.0.0', '2.0.0-rc.1', 'latest', 'v1.2.0', 'v1.3.0', '1.2.3.4',
];

interface FilterOptions {
  last?: string;
  prereleases?: boolean;
  tags?: string[];
}

/** Runs the program as a check does. Returns null if the program refuses the constraint. */
function pickTags(
  constraint: string,
  { last = '0.0.1', prereleases = false, tags = TAGS }: FilterOptions = {},
): string[] | null {
  const values = { constraint, prereleases: String(prereleases), last };
  const args = Object.entries(values).flatMap(([name, value]) => ['--arg', name, value]);
  const input = tags.map((tag) => `${tag}\n`).join('');
  const end = spawnSync('jq', ['-nrR', ...args, semverFilter(100)], { input, encoding: 'utf8' });
  return end.status === 0 ? end.stdout.split('\n').slice(0, -1) : null;
}

test.each<[string, string[]]>([
  ['>=1.2 <2', ['1.2.0', 'v1.3.0', '1.4.1', '1.10.0']],
  ['>= 1.2, < 1.4', ['1.2.0', 'v1.3.0']],
  ['>1.2 <=1.4', ['v1.3.0', '1.4.1']],
  ['>1.2.0 <=1.4.0', ['v1.3.0']],
  ['1.x', ['1.0.0', '1.2.0', 'v1.3.0', '1.4.1', '1.10.0']],
  ['1', ['1.0.0', '1.2.0', 'v1.3.0', '1.4.1', '1.10.0']],
  ['1.4.*', ['1.4.1']],
  ['=1.4.1', ['1.4.1']],
  ['^1.4', ['1.4.1', '1.10.0']],
  ['^0.2.3', ['0.2.3', '0.2.9']],
  ['^0', ['0.2.3', '0.2.9', '0.3.0']],
  ['~1.2', ['1.2.0']],
  ['~1', ['1.0.0', '1.2.0', 'v1.3.0', '1.4.1', '1.10.0']],
  ['~1.4 || >=2', ['1.4.1', '2.0.0']],
  ['*', ['0.2.3', '0.2.9', '0.3.0', '1.0.0', '1.2.0', 'v1.3.0', '1.4.1', '1.10.0', '2.0.0']],
])('%s takes these tags, the lowest version first', (constraint, tags) => {
  expect(pickTags(constraint)).toEqual(tags);
});

test('prereleases are taken on request, in the order of Semantic Versioning', () => {
  expect(pickTags('>=1.4 <2', { prereleases: true })).toEqual([
    '1.4.1-rc.1',
    '1.4.1-rc.2',
    '1.4.1-rc.10',
    '1.4.1',
    '1.10.0',
  ]);
});

test('<2 excludes the prereleases of 2.0.0, and <2.0.0 includes them', () => {
  expect(pickTags('>=1.10 <2', { prereleases: true })).toEqual(['1.10.0']);
  expect(pickTags('>=1.10 <2.0.0', { prereleases: true })).toEqual(['1.10.0', '2.0.0-rc.1']);
});

test('the first check takes only the highest version', () => {
  expect(pickTags('1.x', { last: '' })).toEqual(['1.10.0']);
  expect(pickTags('3.x', { last: '' })).toEqual([]);
});

test('later checks take the known tag and all higher versions', () => {
  expect(pickTags('*', { last: '1.4.1' })).toEqual(['1.4.1', '1.10.0', '2.0.0']);
  expect(pickTags('1.x', { last: '2.0.0' })).toEqual([]);
  expect(pickTags('1.x', { last: 'latest' })).toEqual(['1.10.0']);
});

test('at most 100 tags are taken, those of the highest versions', () => {
  const taken = pickTags('3', { tags: Array.from({ length: 130 }, (_, patch) => `3.0.${patch}`) });
  expect([taken?.length, taken?.[0], taken?.at(-1)]).toEqual([100, '3.0.30', '3.0.129']);
});

test.each(['what', '>=', '1.2.3.4', '1 < 2 foo', '=>1', '1.2.3-'])(
  'the constraint %j is refused',
  (constraint) => {
    expect(pickTags(constraint)).toBeNull();
  },
);
