import { describe, expect, test } from '@jest/globals';
import { outsideFields, safeAddress, shortVersion } from './outside-text.ts';

describe('an address from outside', () => {
  test.each([
    ['https://git.example.org/shop/app/commit/3f2a91c', 'https://git.example.org/shop/app/commit/3f2a91c'],
    ['https://git.example.org', 'https://git.example.org/'],
    ['http://git.example.org/', undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,<script>alert(1)</script>', undefined],
    ['https://ci.example.org@evil.example/', undefined],
    ['https://user:word@git.example.org/', undefined],
    ['https://gіt.example.org/', undefined],
    ['see https://git.example.org/', undefined],
    ['https://git.example.org/\nhttps://evil.example', undefined],
    ['https://', undefined],
    ['HTTPS://git.example.org/', undefined],
  ])('%s becomes the link %s', (value, link) => {
    expect(safeAddress(value)).toBe(link);
  });

  test('names its destination: the text of the link is where it leads', () => {
    const text = outsideFields([['url', 'https://git.example.org/a?b=1&c="d"']]).text;
    expect(text).toContain('href="https://git.example.org/a?b=1&amp;c=%22d%22"');
    expect(text).toContain('>https://git.example.org/a?b=1&amp;c=%22d%22</a>');
  });
});

describe('a value from outside', () => {
  test('is text, whatever it contains', () => {
    const text = outsideFields([['<b>', '<img src=x onerror=alert(1)>']]).text;
    expect(text).not.toMatch(/<(b|img)/);
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  test.each([
    ['short', false],
    ['ends with a line break\n', false],
    ['two\nlines', true],
    ['x'.repeat(161), true],
  ])('is folded only if it is long: %j', (value, folded) => {
    expect(outsideFields([['message', value]]).text.includes('<details>')).toBe(folded);
  });
});

test.each([
  [{ ref: '3f2a91c05d1e4b7f8a6c9d0e1f2a3b4c5d6e7f80' }, '3f2a91c0'],
  [{ tag: 'v1.2.3', digest: 'sha256:1' }, 'v1.2.3'],
  [{ time: 'x'.repeat(30) }, `${'x'.repeat(23)}…`],
  [{}, ''],
])('the short form of %j is %j', (fields, short) => {
  expect(shortVersion(fields)).toBe(short);
});
