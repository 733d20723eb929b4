import { expect, test } from '@jest/globals';
import { labelOf, replaceInvisible, widthOf } from './measure-label.ts';

test('a long name is shortened in the middle', () => {
  expect(labelOf('integration-with-a-very-long-name--linux-arm64-debug')).toBe(
    'integration-with-…-linux-arm64-debug',
  );
  expect(labelOf('x'.repeat(36))).toBe('x'.repeat(36));
});

test('invisible characters and those that XML forbids are replaced', () => {
  expect(replaceInvisible('a\u0000b\u202Ec\uD800d\uFFFFe\nf')).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf');
  expect(replaceInvisible('Größe 日本 🚀')).toBe('Größe 日本 🚀');
});

test('wide letters count more than narrow ones, and unknown letters count most', () => {
  expect(widthOf('ill', 10)).toBeLessThan(widthOf('www', 10));
  expect(widthOf('www', 10)).toBeLessThan(widthOf('日本語', 10));
});
