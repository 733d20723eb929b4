import { describe, expect, test } from '@jest/globals';
import { plainLog } from './plain-log.ts';

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
    'leaves what only looks like one': ['[31m', '[31m'],
  };
  test.each(Object.entries(logs))('%s', (_name, [text, shown]) => expect(plainLog(text)).toBe(shown));
});
