import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask-secrets.ts';
import {
  flattenVersion,
  MAX_CHECK_BYTES,
  explainLongOutput,
  parseCheckOutput,
  parsePushOutput,
} from './parse-check-output.ts';

const good: Record<string, { stdout: string; versions: Record<string, string>[] }> = {
  'can be an array of objects: a list of versions': {
    stdout: '[{"ref":"a"},{"ref":"b"}]',
    versions: [{ ref: 'a' }, { ref: 'b' }],
  },
  'can be an empty array': { stdout: ' []\n', versions: [] },
  'has its nested objects and arrays flattened': {
    stdout: '[{"ref":"a","meta":{"sha":"b","n":{"m":1}},"tags":["x","y"]}]',
    versions: [{ ref: 'a', meta_sha: 'b', meta_n_m: '1', tags_0: 'x', tags_1: 'y' }],
  },
  'has numbers and booleans converted to strings, and null left out': {
    stdout: '[{"n":1.50,"yes":true,"none":null}]',
    versions: [{ n: '1.5', yes: 'true' }],
  },
  'keeps every digit of a long number': {
    stdout:
      '[{"id":20241127123456789,"ids":[-9007199254740993,9007199254740991],"text":"20241127123456789"}]',
    versions: [
      {
        id: '20241127123456789',
        ids_0: '-9007199254740993',
        ids_1: '9007199254740991',
        text: '20241127123456789',
      },
    ],
  },
};

const bad: Record<string, { stdout: string; error: string }> = {
  nothing: {
    stdout: '',
    error: 'The check did not print JSON; expected a JSON array of objects. It printed nothing.',
  },
  'text before the JSON': {
    stdout: 'fetching\n[]',
    error: 'The check did not print JSON; expected a JSON array of objects. It begins with: "fetching\\n[]"',
  },
  'an object without an array': {
    stdout: '{"ref":"a"}',
    error:
      'The check printed JSON that is not an array; expected a JSON array of objects. ' +
      'It begins with: "{\\"ref\\":\\"a\\"}"',
  },
  'an element that is not an object': {
    stdout: '[{"ref":"a"},"b"]',
    error:
      'The check printed an array whose element 1 is not an object with 1 to 256 fields in 64 KiB; ' +
      'expected a JSON array of objects. It begins with: "[{\\"ref\\":\\"a\\"},\\"b\\"]"',
  },
  'an empty object': {
    stdout: '[{}]',
    error:
      'The check printed an array whose element 0 is not an object with 1 to 256 fields in 64 KiB; ' +
      'expected a JSON array of objects. It begins with: "[{}]"',
  },
};

/** The output has no secrets. */
const keep = (text: string): string => text;

describe('the output of a check', () => {
  test.each(Object.entries(good))('%s', (_name, { stdout, versions }) => {
    expect(parseCheckOutput(stdout, keep)).toEqual({ ok: true, versions, leftOut: 0 });
  });

  test.each(Object.entries(bad))('cannot be %s', (_name, { stdout, error }) => {
    expect(parseCheckOutput(stdout, keep)).toEqual({ ok: false, error });
  });

  test('adds only its newest hundred versions', () => {
    const many = Array.from({ length: 130 }, (_, n) => ({ n: String(n) }));
    expect(parseCheckOutput(JSON.stringify(many), keep)).toEqual({
      ok: true,
      versions: many.slice(30),
      leftOut: 30,
    });
  });

  test('is refused with its beginning if it is too long', () => {
    const error = explainLongOutput(`["${'x'.repeat(MAX_CHECK_BYTES - 2)}`, keep);
    expect(error).toContain('printed more than 1048576 bytes');
    expect(error).toMatch(/It begins with: "\[\\"x{198}"$/);
  });

  test('is masked before its beginning is cut off', () => {
    const masker = createMasker(['hunter2-hunter2']);
    const stdout = `${'.'.repeat(190)}hunter2-hunter2`;
    expect(parseCheckOutput(stdout, (text) => masker.mask(text))).toMatchObject({
      error: expect.stringMatching(/It begins with: "\.{190}\*{3}"$/),
    });
  });

  test('can have a field named __proto__', () => {
    expect(Object.keys(flattenVersion(JSON.parse('{"__proto__":"x","a":"b"}')) ?? {})).toEqual([
      '__proto__',
      'a',
    ]);
  });

  const tooLarge: Record<string, unknown> = {
    'has too many fields': { a: Array.from({ length: 257 }, () => 1) },
    'is too long': { a: 'x'.repeat(65_537) },
    'has a field name that is too long': { ['x'.repeat(201)]: 1 },
    'is nested too deeply': { a: JSON.parse(`${'['.repeat(40_000)}1${']'.repeat(40_000)}`) },
  };
  test.each(Object.entries(tooLarge))('makes no version if it %s', (_name, value) => {
    expect(flattenVersion(value)).toBeUndefined();
  });
});

describe('the output of a push', () => {
  const cases: Record<string, { stdout: string; version: Record<string, string> | undefined }> = {
    'has the version in its last line': { stdout: 'pushing\n{"ref":"a"}\n\n', version: { ref: 'a' } },
    'has no version with another last line': { stdout: '{"ref":"a"}\ndone\n', version: undefined },
    'has no version in a broken object': { stdout: '{"ref":', version: undefined },
    'has no version in an array': { stdout: '[{"ref":"a"}]', version: undefined },
    'has no version if it is empty': { stdout: '', version: undefined },
  };
  test.each(Object.entries(cases))('%s', (_name, { stdout, version }) => {
    expect(parsePushOutput(stdout)).toEqual(version);
  });
});
