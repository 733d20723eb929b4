import { describe, expect, test } from '@jest/globals';
import { readJsonStream } from './read-json-stream.ts';

const cases: Record<string, { text: string; values: unknown[] | undefined }> = {
  'blank text has no values': { text: ' \r\n\t', values: [] },
  'an object over several lines is one value': { text: '{\n  "a": [1,\n 2]\n}\n', values: [{ a: [1, 2] }] },
  'values may follow each other without space': {
    text: '{"a":1}{"b":2}[3]',
    values: [{ a: 1 }, { b: 2 }, [3]],
  },
  'words and numbers end at a space': { text: 'null true\n-1.5e3 "x"', values: [null, true, -1500, 'x'] },
  'brackets and quotes in texts open nothing': {
    text: '{"a":"}]\\"{"} ["[", "\\\\"]',
    values: [{ a: '}]"{' }, ['[', '\\']],
  },
  'other text before a value is refused': { text: 'fetching\n[]', values: undefined },
  'other text after a value is refused': { text: '[] done', values: undefined },
  'a value that is cut is refused': { text: '[{"a":1}', values: undefined },
  'a text that is cut is refused': { text: '["a', values: undefined },
  'a closing bracket too many is refused': { text: '[]]', values: undefined },
};

describe('the JSON values in a text', () => {
  test.each(Object.entries(cases))('%s', (_, { text, values }) => {
    expect(readJsonStream(text)).toEqual(values);
  });

  test('are read in linear time', () => {
    const text = '[1]'.repeat(300_000);
    const begin = performance.now();
    expect(readJsonStream(text)).toHaveLength(300_000);
    expect(readJsonStream('['.repeat(900_000))).toBeUndefined();
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});
