import { describe, expect, test } from '@jest/globals';
import { flattenVersion, MAX_CHECK_BYTES, parseCheckOutput, parsePushOutput } from './parse-check-output.ts';

const good: Record<string, { stdout: string; versions: Record<string, string>[] }> = {
  'an array of objects is a list of versions': {
    stdout: '[{"ref":"a"},{"ref":"b"}]',
    versions: [{ ref: 'a' }, { ref: 'b' }],
  },
  'no versions are fine': { stdout: ' []\n', versions: [] },
  'nested objects and arrays flatten': {
    stdout: '[{"ref":"a","meta":{"sha":"b","n":{"m":1}},"tags":["x","y"]}]',
    versions: [{ ref: 'a', meta_sha: 'b', meta_n_m: '1', tags_0: 'x', tags_1: 'y' }],
  },
  'numbers and booleans become strings, null is left out': {
    stdout: '[{"n":1.50,"yes":true,"none":null}]',
    versions: [{ n: '1.5', yes: 'true' }],
  },
};

const bad: Record<string, { stdout: string; error: string }> = {
  'no output': {
    stdout: '',
    error: 'The check did not print JSON; expected a JSON array of objects. It printed nothing.',
  },
  'text before the JSON': {
    stdout: 'fetching\n[]',
    error: 'The check did not print JSON; expected a JSON array of objects. It begins with: "fetching\\n[]"',
  },
  'an object alone': {
    stdout: '{"ref":"a"}',
    error:
      'The check printed JSON that is not an array; expected a JSON array of objects. It begins with: "{\\"ref\\":\\"a\\"}"',
  },
  'an element that is no object': {
    stdout: '[{"ref":"a"},"b"]',
    error:
      'The check printed an array whose element 1 is not an object with 1 to 256 fields in 64 KiB; expected a JSON array of objects. It begins with: "[{\\"ref\\":\\"a\\"},\\"b\\"]"',
  },
  'an empty object': {
    stdout: '[{}]',
    error:
      'The check printed an array whose element 0 is not an object with 1 to 256 fields in 64 KiB; expected a JSON array of objects. It begins with: "[{}]"',
  },
};

describe('the output of a check', () => {
  test.each(Object.entries(good))('%s', (_name, { stdout, versions }) => {
    expect(parseCheckOutput(stdout)).toEqual({ ok: true, versions, left: 0 });
  });

  test.each(Object.entries(bad))('%s is refused', (_name, { stdout, error }) => {
    expect(parseCheckOutput(stdout)).toEqual({ ok: false, error });
  });

  test('only the newest hundred versions count', () => {
    const many = Array.from({ length: 130 }, (_, n) => ({ n: String(n) }));
    expect(parseCheckOutput(JSON.stringify(many))).toEqual({ ok: true, versions: many.slice(30), left: 30 });
  });

  test('too much output is refused with its beginning', () => {
    const answer = parseCheckOutput(`["${'x'.repeat(MAX_CHECK_BYTES)}"]`);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('more than 1048576 bytes') });
    expect(answer).toMatchObject({ error: expect.stringMatching(/^.{0,400}$/) });
  });

  test('an object that calls itself __proto__ stays a plain field', () => {
    expect(Object.keys(flattenVersion(JSON.parse('{"__proto__":"x","a":"b"}')) ?? {})).toEqual([
      '__proto__',
      'a',
    ]);
  });

  const tooLarge: Record<string, unknown> = {
    'too many fields': { a: Array.from({ length: 257 }, () => 1) },
    'too much text': { a: 'x'.repeat(65_537) },
    'too long a name': { ['x'.repeat(201)]: 1 },
    'too deep nesting': { a: JSON.parse(`${'['.repeat(40_000)}1${']'.repeat(40_000)}`) },
  };
  test.each(Object.entries(tooLarge))('%s make no version', (_name, value) => {
    expect(flattenVersion(value)).toBeUndefined();
  });
});

describe('the output of a push', () => {
  const cases: Record<string, { stdout: string; version: Record<string, string> | undefined }> = {
    'the last line is the version': { stdout: 'pushing\n{"ref":"a"}\n\n', version: { ref: 'a' } },
    'other last lines name none': { stdout: '{"ref":"a"}\ndone\n', version: undefined },
    'a broken object names none': { stdout: '{"ref":', version: undefined },
    'an array names none': { stdout: '[{"ref":"a"}]', version: undefined },
    'no output names none': { stdout: '', version: undefined },
  };
  test.each(Object.entries(cases))('%s', (_name, { stdout, version }) => {
    expect(parsePushOutput(stdout)).toEqual(version);
  });
});
