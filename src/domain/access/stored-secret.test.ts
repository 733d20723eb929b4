import { describe, expect, test } from '@jest/globals';
import {
  MAX_STORED_SECRETS,
  refuseSecret,
  type SecretKind,
  type StoredSecretFacts,
} from './stored-secret.ts';

interface Case {
  kind: SecretKind;
  value: string;
  known: StoredSecretFacts;
}

const refuse = ({ known: facts, ...secret }: Case): string | undefined =>
  refuseSecret({ name: 'TOKEN', ...secret }, facts)?.code;

describe('a value is stored', () => {
  test.each<[title: string, secret: Case]>([
    ['under a new name', { kind: 'secret', value: 'x', known: { count: 0 } }],
    [
      'in place of another one, even if its scope already has the maximum number of secrets',
      { kind: 'plain', value: 'x', known: { kind: 'plain', count: MAX_STORED_SECRETS } },
    ],
    ['that is empty', { kind: 'secret', value: '', known: { count: 0 } }],
    ['with the maximum length', { kind: 'secret', value: 'ü'.repeat(32 * 1024), known: { count: 0 } }],
  ])('%s', (_title, secret) => expect(refuse(secret)).toBeUndefined());
});

describe('a value is refused', () => {
  const none = { count: 0 };
  test.each<[title: string, secret: Case, code: string]>([
    [
      'if the secret of its name has another kind',
      { kind: 'plain', value: 'x', known: { kind: 'secret', count: 1 } },
      'KindIsFixed',
    ],
    [
      'if its scope already has the maximum number of secrets',
      { kind: 'secret', value: 'x', known: { count: MAX_STORED_SECRETS } },
      'TooManySecrets',
    ],
    [
      'if it is longer than the maximum',
      { kind: 'secret', value: `${'€'.repeat(21_845)}ab`, known: none },
      'ValueTooLong',
    ],
    ['with a null character', { kind: 'secret', value: 'a\u0000', known: none }, 'InvalidValue'],
    ['with a lone surrogate', { kind: 'secret', value: '\ud800', known: none }, 'InvalidValue'],
  ])('%s', (_title, secret, code) => expect(refuse(secret)).toBe(code));

  test('and the message says what to store instead', () => {
    const secret = { name: 'TOKEN', kind: 'secret' } as const;
    const messages = ['a\u0000', 'x'.repeat(65_537)].map(
      (value) => refuseSecret({ ...secret, value }, none)?.message,
    );
    expect(messages).toEqual([
      expect.stringContaining('Store it as base64'),
      expect.stringContaining('Store a shorter one'),
    ]);
  });
});
