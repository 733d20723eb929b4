import { describe, expect, test } from '@jest/globals';
import { regexesIn } from './collect.ts';
import { judge } from './judge.ts';
import { allRegexes, faultsIn, readProven, spellingOf } from './proven.ts';

/*
 * Users control what many regular expressions read, so none may take more than linear time, and the search
 * for the start of a match counts too. The first tests plant expressions that the check must find.
 */
describe('the check of regular expressions', () => {
  const planted: Record<string, { file: string; text: string }> = {
    'searches to the end of the line from every position': {
      file: 'src/planted.ts',
      text: String.raw`export const x = 'a'.replaceAll(/[^\n]*\r(?=[^\n])/g, '');`,
    },
    'tries every way to split a number': {
      file: 'src/planted.ts',
      text: String.raw`export const x: RegExp = /^(?:(?:\d+\.?\d*|\.\d+)[smh])+$/;`,
    },
    'trims the end of a text': {
      file: 'src/web/planted.ts',
      text: String.raw`export const x = 'a'.replace(/\s+$/, '');`,
    },
    'is concatenated from constants and slow': {
      file: 'src/planted.ts',
      text: "const [A] = ['x'];\nexport const x = new RegExp([String.raw`(${A}+)+`, 'y$'].join(''), 'u');",
    },
    'is a slow pattern of a schema': {
      file: 'src/planted.ts',
      text: `export const x = { type: 'string', pattern: '^(a|a)*$' };`,
    },
    'is known only at run time': {
      file: 'src/planted.ts',
      text: 'export const x = (name: string): RegExp => new RegExp(name);',
    },
  };
  test.each(Object.entries(planted))('refuses an expression that %s', (_name, { file, text }) => {
    const found = regexesIn(file, text);
    expect(found).toHaveLength(1);
    expect(faultsIn(found, new Set())).toEqual([expect.stringMatching(/ takes .* time, | run time only/)]);
  });

  test('accepts a linear expression', () => {
    expect(judge({ source: '^[a-z]+$', flags: '' })).toBeUndefined();
  });
});

describe('the regular expressions of the project', () => {
  const regexes = allRegexes();

  test('are found in the programs and in the scripts of pages', () => {
    const files = new Set(regexes.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'src/web/build/terminal.ts',
        'src/domain/language/duration.ts',
        'e2e/readme/commands.ts',
      ]),
    );
    expect(regexes.map(spellingOf)).toContain(String.raw`/^tok_[0-9a-f]{64}$/`);
  });

  test('take linear time', () => expect(faultsIn(regexes, readProven())).toEqual([]));

  test('are recorded as proven, except a few: run node tools/regexes/main.ts', () => {
    const proven = readProven();
    expect(regexes.map(spellingOf).filter((name) => !proven.has(name)).length).toBeLessThan(20);
  });
});
