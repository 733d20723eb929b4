import { describe, expect, test } from '@jest/globals';
import { MAX_LINE_CHARACTERS, plainLog } from './plain-log.ts';

describe('a log without script', () => {
  const logs: Record<string, [text: string, shown: string]> = {
    'has no colours': ['\u001b[1;31mred\u001b[0m and \u001b[38;5;208morange\u001b[m', 'red and orange'],
    'has no titles': ['\u001b]0;title\u0007text', 'text'],
    'has no links of terminals': ['\u001b]8;;https://x.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
    'has no other sequences': ['\u001b(Bx\u001bMy\u001b[2Kz', 'xyz'],
    'shows what was written last over a line': ['10 %\r50 %\r100 %\nok', '100 %\nok'],
    'has lines of any system': ['a\r\nb', 'a\nb'],
    'has no bells and nulls': ['a\u0007\u0000b', 'ab'],
    'keeps tabs and letters': ['\tä漢🙂', '\tä漢🙂'],
    'shows the last writing when the line ends with a return': ['10 %\r20 %\r\nok\r', '20 %\nok'],
    'leaves what only looks like one': ['[31m', '[31m'],
  };
  test.each(Object.entries(logs))('%s', (_name, [text, shown]) => expect(plainLog(text)).toBe(shown));
});

describe('a hostile line of 1 MiB', () => {
  const size = 1024 * 1024;
  const lines: Record<string, string> = {
    'without an end': 'a'.repeat(size),
    'of returns': '\r'.repeat(size),
    'of progress': '99 %\r'.repeat(size / 5),
    'of escapes': '\u001b'.repeat(size),
    'of unfinished sequences': '\u001b[0;0;0'.repeat(size / 8),
    'of unfinished titles': '\u001b]0;'.repeat(size / 4),
    'of empty lines': '\n'.repeat(size),
  };
  test.each(Object.entries(lines))('%s is read in linear time', (_name, text) => {
    const start = performance.now();
    plainLog(text);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('is cut, and says by how much', () => {
    const shown = plainLog(`before\n${'a'.repeat(size)}\nafter`).split('\n');
    expect(shown).toEqual([
      'before',
      `${'a'.repeat(MAX_LINE_CHARACTERS)} … ${size - MAX_LINE_CHARACTERS} more characters in this line`,
      'after',
    ]);
  });
});
