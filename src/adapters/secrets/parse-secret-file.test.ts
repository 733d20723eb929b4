import { describe, expect, test } from '@jest/globals';
import { parseSecretFile } from './parse-secret-file.ts';

const ENV = '# tokens\n\nTOKEN=abc\n export QUOTED = "a b" \nSINGLE=\'c=d\'\nnot a line\nEMPTY=\nHALF="x\r\n';

describe('parsing a secret file', () => {
  interface Case {
    text: string;
    name: string;
    format?: string;
    values: Record<string, string>;
  }
  test.each<[title: string, secretFile: Case]>([
    [
      'reads JSON by the file name',
      {
        text: '{"a": "x",\n "b": 1, "c": {"d": true}}',
        name: 'a.json',
        values: { a: 'x', b: '1', c: '{"d":true}' },
      },
    ],
    ['reads YAML by the file name', { text: 'a: x\nb: "1"\n', name: 'a.yml', values: { a: 'x', b: '1' } }],
    [
      'reads YAML by the format',
      { text: 'a: >\n  x\n  y\n', name: 'a', format: 'yaml', values: { a: 'x y\n' } },
    ],
    [
      'reads lines by the file name',
      {
        text: ENV,
        name: 'live.env',
        values: { TOKEN: 'abc', QUOTED: 'a b', SINGLE: 'c=d', EMPTY: '', HALF: '"x' },
      },
    ],
    [
      'reads a whole text if the file name has no known extension',
      { text: '-----BEGIN\nX\n', name: 'key.pem', values: { content: '-----BEGIN\nX\n' } },
    ],
    [
      'reads a whole text if the format is raw, whatever the file name',
      { text: '{}', name: 'a.json', format: 'raw', values: { content: '{}' } },
    ],
  ])('%s', (_title, { text, name, format = '', values }) => {
    const parsed = parseSecretFile(text, name, format);
    expect('values' in parsed && Object.fromEntries(parsed.values)).toEqual(values);
  });

  test.each<[text: string, format: string, fault: string]>([
    ['{"token": "hunter2"', 'json', 'it is not valid JSON'],
    ['["hunter2"]', 'json', 'the JSON in it is not an object'],
    ['null', 'json', 'the JSON in it is not an object'],
    ['a: [hunter2', 'yaml', 'it is not valid YAML'],
    ['a: &x hunter2\nb: *x\n', 'yaml', 'it is not valid YAML'],
    ['x', 'toml', 'its format is none of json, yaml, env and raw'],
  ])('refuses %j as %s without repeating its text', (text, format, fault) => {
    expect(parseSecretFile(text, 'a', format)).toEqual({ fault });
  });
});

const linesOfKeys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `k${index}: 1`).join('\n');

describe('a hostile secret file', () => {
  test('of YAML with many keys is parsed in less than 1.5 seconds', () => {
    const text = linesOfKeys(1800);
    const start = performance.now();
    expect(parseSecretFile(text, 'a.yaml', '')).toHaveProperty('values');
    expect(performance.now() - start).toBeLessThan(1500);
  });

  test.each([
    ['a.json', 64],
    ['a.yaml', 16],
    ['a.env', 64],
  ])('%s of more than %i KiB is not parsed', (name, limit) => {
    const fault = `it is longer than ${limit} KiB`;
    expect(parseSecretFile(linesOfKeys(10_000), name, '')).toEqual({ fault });
  });

  test('of the format raw can be longer', () => {
    const text = linesOfKeys(10_000);
    expect(parseSecretFile(text, 'a', '')).toEqual({ values: new Map([['content', text]]) });
  });

  test.each(['toString', '__proto__', 'xml'])('of the format %s is a fault', (format) => {
    const fault = 'its format is none of json, yaml, env and raw';
    expect(parseSecretFile('A=b', 'a', format)).toEqual({ fault });
  });

  test('nested thousands of times is a fault', () => {
    expect(parseSecretFile('['.repeat(16_000), 'a.yaml', '')).toEqual({ fault: 'it is not valid YAML' });
  });
});
