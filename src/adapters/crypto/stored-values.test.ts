import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  makeStoreKeyPair,
  openValue,
  rewrapValue,
  sealValue,
  storeKeys,
  type StoreKeyPair,
} from './stored-values.ts';

let one: StoreKeyPair;
let other: StoreKeyPair;
beforeAll(async () => {
  [one, other] = await Promise.all([makeStoreKeyPair(), makeStoreKeyPair()]);
}, 60_000);

const VALUE = 'hunter2\nü';

describe('a sealed value', () => {
  test('opens with the private key and its own location', () => {
    const sealed = sealValue(one.publicKey, VALUE, '1//token');
    expect(openValue(storeKeys(['', one.privateKey]), sealed, '1//token')).toBe(VALUE);
  });

  test('does not contain the value, and differs each time', () => {
    const [first, second] = [0, 1].map(() => sealValue(one.publicKey, VALUE, 'a'));
    expect(first?.ciphertext.includes('hunter2')).toBe(false);
    expect(first?.ciphertext.equals(second?.ciphertext ?? Buffer.alloc(0))).toBe(false);
  });

  test('may hold an empty value', () => {
    expect(openValue(storeKeys([one.privateKey]), sealValue(one.publicKey, '', 'a'), 'a')).toBe('');
  });

  test('does not open with another key', () => {
    expect(
      openValue(storeKeys([other.privateKey]), sealValue(one.publicKey, VALUE, 'a'), 'a'),
    ).toBeUndefined();
  });

  test('does not open for another location', () => {
    const sealed = sealValue(one.publicKey, VALUE, '1//token');
    expect(() => openValue(storeKeys([one.privateKey]), sealed, '2//token')).toThrow();
  });

  test.each([0, 12, -1])('does not open with another byte %i', (index) => {
    const sealed = sealValue(one.publicKey, VALUE, 'a');
    const ciphertext = Buffer.from(sealed.ciphertext);
    const at = index < 0 ? ciphertext.length + index : index;
    ciphertext[at] = (ciphertext[at] ?? 0) ^ 1;
    expect(() => openValue(storeKeys([one.privateKey]), { ...sealed, ciphertext }, 'a')).toThrow();
  });
});

describe('a key rotation', () => {
  test('keeps value and location, for the new key only', () => {
    const sealed = sealValue(one.publicKey, VALUE, 'a');
    const moved = rewrapValue(storeKeys([one.privateKey]), sealed, other.publicKey);
    expect(moved && openValue(storeKeys([other.privateKey]), moved, 'a')).toBe(VALUE);
    expect(moved && openValue(storeKeys([one.privateKey]), moved, 'a')).toBeUndefined();
    expect(moved?.ciphertext).toEqual(sealed.ciphertext);
  });

  test('leaves a value whose key is missing', () => {
    const sealed = sealValue(one.publicKey, VALUE, 'a');
    expect(rewrapValue(storeKeys([other.privateKey]), sealed, other.publicKey)).toBeUndefined();
  });
});
