import { describe, expect, test } from '@jest/globals';
import { assert, constantFrom, property, string } from 'fast-check';
import { closestName, didYouMean } from './suggest.ts';

const words = ['get', 'put', 'task', 'trigger', 'passed', 'params', 'check_interval'];

test.each([
  ['triger', 'trigger'],
  ['tirgger', 'trigger'],
  ['TRIGGER', 'trigger'],
  ['tsk', 'task'],
  ['taks', 'task'],
  ['gte', 'get'],
  ['param', 'params'],
  ['checkinterval', 'check_interval'],
  ['chek_intervall', 'check_interval'],
  ['x', undefined],
  ['set', 'get'],
  ['locals', undefined],
  ['', undefined],
  ['t'.repeat(10_000), undefined],
])('%j is corrected to %j', (name, meant) => {
  expect(closestName(name, words)).toBe(meant);
});

test.each([
  ['a', 'b', undefined],
  ['a', 'bc', undefined],
  ['ab', 'ac', undefined],
  ['X', 'x', 'x'],
  ['ge', 'get', 'get'],
  ['set', 'se', 'se'],
])('for %j, %j is a suggestion only if most letters are equal', (name, known, meant) => {
  expect(closestName(name, [known])).toBe(meant);
});

test('the first of several equally close names is suggested', () => {
  expect(didYouMean('cat', ['car', 'cut'])).toBe('; did you mean "car"?');
  expect(didYouMean('zebra', ['car', 'cut'])).toBe('');
});

/** Fills the whole distance table, cell by cell. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? (i === 0 ? j : Infinity);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const changed = cell(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : Infinity;
      rows[i]?.push(Math.min(changed, swapped, cell(i - 1, j) + 1, cell(i, j - 1) + 1));
    }
  }
  return cell(a.length, b.length);
}

test('the suggestion is the same as with all cells of the distance table', () => {
  const word = string({ unit: constantFrom('a', 'b', 'c'), maxLength: 12 });
  assert(
    property(word, word, (name, candidate) => {
      const allowed = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
      const limit = Math.max(name.length, candidate.length) < 3 ? 0 : allowed;
      expect(closestName(name, [candidate])).toBe(distance(name, candidate) <= limit ? candidate : undefined);
    }),
    { numRuns: 2000 },
  );
});

describe('a search among many names', () => {
  const name = 'n'.repeat(60);
  const meant = name.replace('nn', 'nm');
  /** Names with one change more than allowed; the last change is in the last letter. */
  const others = Array.from({ length: 200 }, () =>
    [0, 20, 40, 59].reduce((text, at) => text.slice(0, at) + 'x' + text.slice(at + 1), name),
  );

  test('finds the intended name within its limit', () => {
    expect(closestName(name, [...others.slice(0, 80), meant])).toBe(meant);
  });

  test('stops at its limit', () => {
    expect(closestName(name, [...others, meant])).toBeUndefined();
  });
});
