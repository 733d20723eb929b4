import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createMasker, MASK } from './mask-secrets.ts';

function inPieces(secrets: string[], pieces: string[]): string {
  const stream = createMasker(secrets).stream();
  return pieces.map((piece) => stream.write(piece)).join('') + stream.end();
}

const PEM = '-----BEGIN KEY-----\nabcdefghijklmnop\nqrstuvwxyz012345\n-----END KEY-----\n';
const JSON_TEXT = JSON.stringify({ key: PEM });

const cases: Record<string, { secrets: string[]; text: string; shown: string }> = {
  'hides a secret anywhere in the text': {
    secrets: ['hunter2'],
    text: 'a hunter2,hunter2',
    shown: 'a ***,***',
  },
  'leaves a text without secrets unchanged': {
    secrets: ['hunter2'],
    text: 'hunter3 hunte',
    shown: 'hunter3 hunte',
  },
  'hides nothing if there are no secrets': { secrets: [], text: 'hunter2', shown: 'hunter2' },
  'ignores secrets of less than three characters': {
    secrets: ['ab', ''],
    text: 'ab abc',
    shown: 'ab abc',
  },
  'ignores secrets of blanks only': {
    secrets: ['    ', ' \n   \n'],
    text: 'a    b',
    shown: 'a    b',
  },
  'hides the longer of two secrets in full': {
    secrets: ['pass', 'password'],
    text: 'my password',
    shown: 'my ***',
  },
  'hides both of two overlapping secrets': { secrets: ['abcd', 'cdef'], text: 'xabcdefx', shown: 'x***x' },
  'hides a secret that ends inside another': { secrets: ['abcdef', 'cde'], text: 'abcde', shown: 'ab***' },
  'turns adjacent secrets into one mask': { secrets: ['abc', 'def'], text: 'abcdef', shown: '***' },
  'hides a multi-line secret line by line': {
    secrets: [PEM],
    text: 'key:\r\n  abcdefghijklmnop\r\n  qrstuvwxyz012345\r\n',
    shown: 'key:\r\n  ***\r\n  ***\r\n',
  },
  'hides the escaped form of a secret inside JSON': {
    secrets: [PEM],
    text: JSON_TEXT,
    shown: '{"key":"***"}',
  },
  'hides the base64 form': { secrets: ['correct horse'], text: btoa('correct horse'), shown: '***==' },
  'hides the base64 form with a line end': {
    secrets: ['correct horse'],
    text: btoa('correct horse\n'),
    shown: '***=',
  },
  'hides the base64url form': {
    secrets: ['???>>>~~~'],
    text: Buffer.from('???>>>~~~').toString('base64url'),
    shown: '***',
  },
  'hides the URL-encoded form': { secrets: ['p@ss word'], text: 'u:p%40ss%20word@host', shown: 'u:***@host' },
};

describe('masking secrets in text', () => {
  test.each(Object.entries(cases))('%s', (_name, { secrets, text, shown }) => {
    expect(createMasker(secrets).mask(text)).toBe(shown);
    expect(inPieces(secrets, text.split(''))).toBe(shown);
  });

  test('hides a secret in base64 of longer data, at any offset', () => {
    const secret = 'correct horse battery';
    for (const before of ['', 'u', 'us', 'use', 'user:']) {
      const shown = createMasker([secret]).mask(btoa(`${before}${secret}@host`));
      expect(shown).toContain(MASK);
      expect(atob(shown.replace(MASK, '').slice(0, 4))).not.toContain(secret.slice(0, 4));
      expect(shown.length).toBeLessThan(btoa(`${before}${secret}@host`).length - 20);
    }
  });

  test('hides every line of the wrapped base64 of a long secret', () => {
    const secret = Array.from({ length: 200 }, (_, index) =>
      String.fromCharCode(33 + ((index * 7) % 90)),
    ).join('');
    const wrapped = btoa(secret).replaceAll(/.{76}/g, '$&\n');
    expect(createMasker([secret]).mask(wrapped).replaceAll(MASK, '')).toMatch(/^[\n=]*$/);
  });

  test('holds back only an end that may be the beginning of a secret', () => {
    const stream = createMasker(['hunter2']).stream();
    expect(stream.write('say hunt')).toBe('say ');
    expect(stream.write('ing')).toBe('hunting');
    expect(stream.write('hunter')).toBe('');
    expect(stream.end()).toBe('hunter');
  });

  const letters = fc.constantFrom('a', 'b', 'ä', '\n', '🗝');
  const secretLists = fc.array(fc.string({ unit: letters, minLength: 0, maxLength: 6 }), { maxLength: 4 });
  const texts = fc.array(fc.string({ unit: letters, maxLength: 8 }), { maxLength: 12 });

  test('does not depend on where the text is cut', () => {
    fc.assert(
      fc.property(secretLists, texts, (secrets, pieces) => {
        expect(inPieces(secrets, pieces)).toBe(createMasker(secrets).mask(pieces.join('')));
      }),
    );
  });

  test('hides exactly the characters of the secrets', () => {
    const simple = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 3, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(simple, { maxLength: 3 }), text, (secrets, whole) => {
        expect(createMasker(secrets).mask(whole)).toBe(maskSlowly(secrets, whole));
      }),
    );
  });
});

const textsOf = (unit: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.array(fc.string({ unit, maxLength: 6 }), { maxLength: 8 });
const valuesOf = (unit: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.array(fc.string({ unit, minLength: 3, maxLength: 5 }), { maxLength: 3 });

describe('masking secrets that are added while text arrives', () => {
  test('hides the added secrets in open streams, also in text that is held back', () => {
    const masker = createMasker(['hunter2']);
    const [first, second] = [masker.stream(), masker.stream()];
    expect([first.write('a hunt'), second.write('b')]).toEqual(['a ', 'b']);
    masker.add(['huntsman', 'tango']);
    expect([first.write('sman tan'), second.write(' hunter2 ta')]).toEqual(['*** ', ' *** ']);
    expect([first.write('go') + first.end(), second.end()]).toEqual(['***', 'ta']);
  });

  test('masks from the first secret on, and ignores values that it masks already', () => {
    const masker = createMasker([]);
    const stream = masker.stream();
    expect(stream.write('tango ')).toBe('tango ');
    masker.add([]);
    masker.add(['tango']);
    masker.add(['tango']);
    expect(stream.write('tango tan') + stream.write('go') + stream.end()).toBe('*** ***');
    expect(masker.mask('tango')).toBe(MASK);
  });

  const earlyLetters = fc.constantFrom('a', 'b', 'c');
  const lateLetters = fc.constantFrom('a', 'b', 'x', 'y');

  test('hides as much as if the secrets had been there from the start', () => {
    const additions = valuesOf(lateLetters).map((values) => values.filter((value) => /^[xy]/.test(value)));
    fc.assert(
      fc.property(
        valuesOf(earlyLetters),
        additions,
        textsOf(earlyLetters),
        textsOf(lateLetters),
        (initialSecrets, addedSecrets, before, after) => {
          const masker = createMasker(initialSecrets);
          const stream = masker.stream();
          const shown = before.map((piece) => stream.write(piece));
          masker.add(addedSecrets);
          const shownLater = after.map((piece) => stream.write(piece)).join('') + stream.end();
          const whole = [...before, ...after].join('');
          expect(shown.join('') + shownLater).toBe(
            createMasker([...initialSecrets, ...addedSecrets]).mask(whole),
          );
        },
      ),
    );
  });
});

describe('masking any secret in any encoding', () => {
  const encodings: Record<string, (text: string) => string> = {
    raw: (text) => text,
    base64: (text) => Buffer.from(text).toString('base64').replaceAll('=', ''),
    base64url: (text) => Buffer.from(text).toString('base64url'),
    'percent-encoded': encodeURIComponent,
    JSON: (text) => JSON.stringify(text).slice(1, -1),
  };
  const secret = fc
    .string({ unit: 'binary', minLength: 8, maxLength: 60 })
    .filter((text) => text.isWellFormed() && text.trim().length >= 8 && !/[\r\n]/.test(text));
  const noise = fc.string({ unit: fc.constantFrom('·', '—', '…'), minLength: 1, maxLength: 9 });

  test.each(Object.entries(encodings))(
    '%s: no part of the secret stays, wherever the text is cut',
    (_name, encode) => {
      fc.assert(
        fc.property(secret, noise, noise, fc.integer({ min: 1, max: 7 }), (value, before, after, size) => {
          const text = `${before}${encode(value)}${after}`;
          const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
          expect(inPieces([value], pieces)).toBe(`${before}${MASK}${after}`);
        }),
      );
    },
  );

  test('hides each line of a multi-line secret in any encoding but base64', () => {
    const line = secret.filter((text) => text === text.trim());
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 2, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, end) => {
          const masker = createMasker([lines.join(end)]);
          for (const text of lines) {
            expect(masker.mask(`·${text}·`)).toBe(`·${MASK}·`);
            expect(masker.mask(encodeURIComponent(text))).toBe(MASK);
            expect(masker.mask(JSON.stringify(text))).toBe(`"${MASK}"`);
          }
        },
      ),
    );
  });
});

/** A slow reference that tries every position. Encoded forms cannot occur in texts of a, b and c. */
function maskSlowly(secrets: string[], text: string): string {
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
