import { describe, expect, test } from '@jest/globals';
import { MAX_LINE_CHARACTERS, plainLog } from './plain-log.ts';

describe('the plain text of a log', () => {
  const logs: Record<string, [text: string, expected: string]> = {
    'has no colours': ['\u001b[1;31mred\u001b[0m and \u001b[38;5;208morange\u001b[m', 'red and orange'],
    'has no window titles': ['\u001b]0;title\u0007text', 'text'],
    'has no terminal links': ['\u001b]8;;https://x.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
    'has no other escape sequences': ['\u001b(Bx\u001bMy\u001b[2Kz', 'xyz'],
    'shows the last text written over a line': ['10 %\r50 %\r100 %\nok', '100 %\nok'],
    'accepts the line ends of any system': ['a\r\nb', 'a\nb'],
    'has no bell and null characters': ['a\u0007\u0000b', 'ab'],
    'retains tabs and letters': ['\tä漢🙂', '\tä漢🙂'],
    'shows the last text of a line that ends with a carriage return': ['10 %\r20 %\r\nok\r', '20 %\nok'],
    'retains text that only resembles a sequence': ['[31m', '[31m'],
  };
  test.each(Object.entries(logs))('%s', (_name, [text, expected]) => expect(plainLog(text)).toBe(expected));
});

describe('a hostile line of 1 MiB', () => {
  const size = 1024 * 1024;
  const lines: Record<string, string> = {
    'text without an end': 'a'.repeat(size),
    'carriage returns': '\r'.repeat(size),
    'progress output': '99 %\r'.repeat(size / 5),
    'escape characters': '\u001b'.repeat(size),
    'unfinished sequences': '\u001b[0;0;0'.repeat(size / 8),
    'unfinished titles': '\u001b]0;'.repeat(size / 4),
    'empty lines': '\n'.repeat(size),
  };
  test.each(Object.entries(lines))('is processed in linear time if it consists of %s', (_name, text) => {
    const start = performance.now();
    plainLog(text);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('is truncated with a note of how much is missing', () => {
    const shown = plainLog(`before\n${'a'.repeat(size)}\nafter`).split('\n');
    expect(shown).toEqual([
      'before',
      `${'a'.repeat(MAX_LINE_CHARACTERS)} … ${size - MAX_LINE_CHARACTERS} more characters in this line`,
      'after',
    ]);
  });
});
