import { expect, test } from '@jest/globals';
import { diagnosticCodes } from './diagnostic-codes.ts';
import { diagnose, hasErrors, renderDiagnostic, sortDiagnostics } from './diagnostic.ts';
import type { Range } from './syntax.ts';

const at = (line: number, column: number): Range => {
  const position = { line, column, byte: line * 100 + column };
  return { start: position, end: position };
};

test('a diagnostic is written as line, column and message, or as the message alone', () => {
  expect(renderDiagnostic(diagnose('unknown-job', at(3, 5), 'there is no job "a"'))).toBe(
    '3:5: there is no job "a"',
  );
  expect(renderDiagnostic(diagnose('too-large', undefined, 'too large'))).toBe('too large');
});

test.each([
  [['job "a"', 'get "git" "app"'], 'no value', '3:5: in job "a", get "git" "app": no value'],
  [['job "a"', 'task "t"'], 'the job "a" has no end', '3:5: in task "t": the job "a" has no end'],
  [['variable "v"'], 'the variable "v" has no value', '3:5: the variable "v" has no value'],
])('the blocks %j come before the message, unless the message names them', (blocks, message, shown) => {
  expect(renderDiagnostic({ ...diagnose('unknown-job', at(3, 5), message), blocks })).toBe(shown);
});

test('diagnostics are sorted by position, without duplicates; those without a range come last', () => {
  const unsorted = [
    diagnose('too-large', undefined, 'z'),
    diagnose('unknown-job', at(2, 1), 'b'),
    diagnose('unknown-job', at(1, 9), 'c'),
    diagnose('unknown-job', at(2, 1), 'b'),
    diagnose('unknown-type', at(2, 1), 'b'),
  ];
  expect(sortDiagnostics(unsorted).map(({ code, message }) => `${code} ${message}`)).toEqual([
    'unknown-job c',
    'unknown-job b',
    'unknown-type b',
    'too-large z',
  ]);
});

test.each([
  ['a\nb', String.raw`a\nb`],
  ['a\u0000\u2028\u0085b', String.raw`a\u0000\u2028\u0085b`],
  ['ä "👍"', 'ä "👍"'],
  ['x'.repeat(501), `${'x'.repeat(499)}…`],
])('a message becomes one line of bounded length: %j', (message, shown) => {
  expect(diagnose('unknown-job', undefined, message).message).toBe(shown);
});

test('warnings are not errors', () => {
  const warning = diagnose('job-without-steps', at(1, 1), 'x');
  expect(hasErrors([warning])).toBe(false);
  expect(hasErrors([warning, diagnose('unknown-job', at(1, 1), 'x')])).toBe(true);
});

test.each(Object.entries(diagnosticCodes))(
  'the diagnostic code %s is lower-case words joined by hyphens, and its texts are sentences',
  (code, { meaning, help }) => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(meaning).toMatch(/^[A-Za-z].*\.$/);
    expect(help).toMatch(/^[A-Z].*\.$/);
  },
);
