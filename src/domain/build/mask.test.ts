import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createMasker, MASK } from './mask.ts';

function inPieces(secrets: string[], pieces: string[]): string {
  const stream = createMasker(secrets).stream();
  return pieces.map((piece) => stream.write(piece)).join('') + stream.end();
}

const PEM = '-----BEGIN KEY-----\nabcdefghijklmnop\nqrstuvwxyz012345\n-----END KEY-----\n';
const JSON_TEXT = JSON.stringify({ key: PEM });

const cases: Record<string, { secrets: string[]; text: string; shown: string }> = {
  'a secret is hidden wherever it stands': {
    secrets: ['hunter2'],
    text: 'a hunter2,hunter2',
    shown: 'a ***,***',
  },
  'a text without secrets stays as it is': {
    secrets: ['hunter2'],
    text: 'hunter3 hunte',
    shown: 'hunter3 hunte',
  },
  'nothing is hidden when there are no secrets': { secrets: [], text: 'hunter2', shown: 'hunter2' },
  'values of less than three characters are left alone': {
    secrets: ['ab', ''],
    text: 'ab abc',
    shown: 'ab abc',
  },
  'values of nothing but spaces hide nothing': {
    secrets: ['    ', ' \n   \n'],
    text: 'a    b',
    shown: 'a    b',
  },
  'the longer of two secrets goes whole': {
    secrets: ['pass', 'password'],
    text: 'my password',
    shown: 'my ***',
  },
  'overlapping secrets both go': { secrets: ['abcd', 'cdef'], text: 'xabcdefx', shown: 'x***x' },
  'a secret that ends inside another goes too': { secrets: ['abcdef', 'cde'], text: 'abcde', shown: 'ab***' },
  'secrets side by side become one mask': { secrets: ['abc', 'def'], text: 'abcdef', shown: '***' },
  'a secret of several lines is hidden line by line': {
    secrets: [PEM],
    text: 'key:\r\n  abcdefghijklmnop\r\n  qrstuvwxyz012345\r\n',
    shown: 'key:\r\n  ***\r\n  ***\r\n',
  },
  'a secret inside JSON is hidden in its escaped form': {
    secrets: [PEM],
    text: JSON_TEXT,
    shown: '{"key":"***"}',
  },
  'base64 is hidden': { secrets: ['correct horse'], text: btoa('correct horse'), shown: '***==' },
  'base64 with a line end at its end is hidden': {
    secrets: ['correct horse'],
    text: btoa('correct horse\n'),
    shown: '***=',
  },
  'base64url is hidden': {
    secrets: ['???>>>~~~'],
    text: Buffer.from('???>>>~~~').toString('base64url'),
    shown: '***',
  },
  'URL encoding is hidden': { secrets: ['p@ss word'], text: 'u:p%40ss%20word@host', shown: 'u:***@host' },
};

describe('masking', () => {
  test.each(Object.entries(cases))('%s', (_name, { secrets, text, shown }) => {
    expect(createMasker(secrets).mask(text)).toBe(shown);
    expect(inPieces(secrets, text.split(''))).toBe(shown);
  });

  test('base64 of longer data that holds a secret shows nothing of it, wherever it begins', () => {
    const secret = 'correct horse battery';
    for (const before of ['', 'u', 'us', 'use', 'user:']) {
      const shown = createMasker([secret]).mask(btoa(`${before}${secret}@host`));
      expect(shown).toContain(MASK);
      expect(atob(shown.replace(MASK, '').slice(0, 4))).not.toContain(secret.slice(0, 4));
      expect(shown.length).toBeLessThan(btoa(`${before}${secret}@host`).length - 20);
    }
  });

  test('wrapped base64 of a long secret is hidden in every line', () => {
    const secret = Array.from({ length: 200 }, (_, index) =>
      String.fromCharCode(33 + ((index * 7) % 90)),
    ).join('');
    const wrapped = btoa(secret).replaceAll(/.{76}/g, '$&\n');
    expect(createMasker([secret]).mask(wrapped).replaceAll(MASK, '')).toMatch(/^[\n=]*$/);
  });

  test('an end that may be the beginning of a secret is kept back, nothing else', () => {
    const stream = createMasker(['hunter2']).stream();
    expect(stream.write('say hunt')).toBe('say ');
    expect(stream.write('ing')).toBe('hunting');
    expect(stream.write('hunter')).toBe('');
    expect(stream.end()).toBe('hunter');
  });

  const letters = fc.constantFrom('a', 'b', 'ä', '\n', '🗝');
  const words = fc.array(fc.string({ unit: letters, minLength: 0, maxLength: 6 }), { maxLength: 4 });
  const texts = fc.array(fc.string({ unit: letters, maxLength: 8 }), { maxLength: 12 });

  test('cutting the text anywhere changes nothing', () => {
    fc.assert(
      fc.property(words, texts, (secrets, pieces) => {
        expect(inPieces(secrets, pieces)).toBe(createMasker(secrets).mask(pieces.join('')));
      }),
    );
  });

  test('exactly the characters of occurrences are hidden', () => {
    const simple = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 3, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(simple, { maxLength: 3 }), text, (secrets, whole) => {
        expect(createMasker(secrets).mask(whole)).toBe(slowly(secrets, whole));
      }),
    );
  });
});

/** The same by trying every place; encoded forms cannot occur in texts of a, b and c. */
function slowly(secrets: string[], text: string): string {
  const hidden = new Set<number>();
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
      for (let index = at; index < at + secret.length; index += 1) hidden.add(index);
    }
  }
  return text
    .split('')
    .map((letter, index) => (hidden.has(index) ? '\0' : letter))
    .join('')
    .replaceAll(/\0+/g, MASK);
}
