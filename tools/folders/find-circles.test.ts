import { describe, expect, test } from '@jest/globals';
import { findCircles, type Import } from './find-circles.ts';

/** Reads imports from lines such as `a/x -> b/y`. */
const importsFrom = (...lines: string[]): Import[] =>
  lines.map((line) => {
    const [from = '', to = ''] = line.split(' -> ');
    return { from: `${from}.ts`, to: `${to}.ts` };
  });

describe('folders that import in one direction', () => {
  test.each([
    ['a folder imports itself', importsFrom('a/x -> a/y', 'a/y -> a/x')],
    ['each folder imports those before it', importsFrom('b/x -> a/x', 'c/x -> b/x', 'c/x -> a/x')],
    ['a folder imports one inside of it', importsFrom('a/x -> a/b/y')],
  ])('have no circle when %s', (_name, imports) => {
    expect(findCircles(imports)).toEqual([]);
  });
});

describe('folders that import each other', () => {
  test('are found, with an import in each direction', () => {
    const imports = importsFrom('a/x -> b/y', 'b/z -> a/w', 'b/z -> c/w');
    expect(findCircles(imports)).toEqual([{ folders: ['a', 'b'], imports: imports.slice(0, 2) }]);
  });

  test('are found through a third folder', () => {
    const imports = importsFrom('a/x -> b/y', 'b/y -> c/z', 'c/z -> a/x');
    expect(findCircles(imports).map(({ folders }) => folders)).toEqual([['a', 'b', 'c']]);
  });

  test('are found if one is inside the other', () => {
    const imports = importsFrom('a/x -> a/b/y', 'a/b/y -> a/z');
    expect(findCircles(imports).map(({ folders }) => folders)).toEqual([['a', 'a/b']]);
  });

  test('are reported separately if they are unrelated', () => {
    const imports = importsFrom('a/x -> b/y', 'b/y -> a/x', 'c/x -> d/y', 'd/y -> c/x', 'd/y -> a/x');
    expect(findCircles(imports).map(({ folders }) => folders)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });
});
