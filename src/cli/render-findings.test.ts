import { describe, expect, test } from '@jest/globals';
import { renderFinding } from './render-findings.ts';

test.each([
  ['a plain letter', 'a', 1],
  ['a wide letter', '漢', 2],
  ['an emoji', '👍', 2],
  ['an emoji with a skin tone', '👍🏽', 2],
  // The joiners between the parts are not printed.
  ['an emoji of three parts', '👨\u200D👩\u200D👧', 8],
])('the caret is below its letter after %s', (_name, letter, cells) => {
  const place = { start: { line: 1, column: 2 }, end: { line: 1, column: 3 } };
  const finding = { severity: 'error', code: 'c', message: 'm', help: 'h', file: 'f', place } as const;
  const [, , text = '', caret] = renderFinding(finding, `${letter}x`, (_style, painted) => painted).split(
    '\n',
  );
  expect(text.endsWith('x')).toBe(true);
  expect(caret).toBe(`  | ${' '.repeat(cells)}^`);
});

describe('the enclosing blocks of a finding', () => {
  const blocks = ['job "deploy"', 'put "git" "app"'];
  const place = { start: { line: 1, column: 3 }, end: { line: 1, column: 6 } };
  const finding = { severity: 'error', code: 'c', message: 'm', help: 'h', file: 'f' } as const;
  const blocksIn = (source: string | undefined, more: object): string[] =>
    renderFinding({ ...finding, blocks, ...more }, source, (_style, painted) => painted)
      .split('\n')
      .filter((line) => line.includes(' = in '));
  test.each([
    ['are named below the line', '  triger = true', ['  = in job "deploy", put "git" "app"']],
    ['are left out if the line shows them', '  put "git" "app" { x = 1 }', ['  = in job "deploy"']],
    ['are not named if the line shows them all', 'job "deploy" { put "git" "app" {} }', []],
  ])('%s', (_name, source, expected) => {
    expect(blocksIn(source, { place })).toEqual(expected);
  });

  test('are named if no line is shown', () => {
    expect(blocksIn(undefined, {})).toEqual(['  = in job "deploy", put "git" "app"']);
  });

  test('show no control characters', () => {
    expect(blocksIn('x', { place, blocks: ['job "\u001B[31m"'] })).not.toContain('\u001B');
  });
});
