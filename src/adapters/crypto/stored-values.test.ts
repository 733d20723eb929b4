import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  makeStoreKeyPair,
  openValue,
  rewrapValue,
  sealValue,
  storeKeys,
  type StoreKeyPair,
} from './stored-values.ts';

let keyPair: StoreKeyPair;
let otherKeyPair: StoreKeyPair;
beforeAll(async () => {
  [keyPair, otherKeyPair] = await Promise.all([makeStoreKeyPair(), makeStoreKeyPair()]);
}, 60_000);

const VALUE = 'hunter2\nü';

describe('a sealed value', () => {
  test('opens with the private key and its own location', () => {
    const sealed = sealValue(keyPair.publicKey, VALUE, '1//token');
    expect(openValue(storeKeys(['', keyPair.privateKey]), sealed, '1//token')).toBe(VALUE);
  });

  test('does not contain the value, and differs each time', () => {
    const [first, second] = [0, 1].map(() => sealValue(keyPair.publicKey, VALUE, 'a'));
    expect(first?.ciphertext.includes('hunter2')).toBe(false);
    expect(first?.ciphertext.equals(second?.ciphertext ?? Buffer.alloc(0))).toBe(false);
  });

  test('can hold an empty text', () => {
    expect(openValue(storeKeys([keyPair.privateKey]), sealValue(keyPair.publicKey, '', 'a'), 'a')).toBe('');
  });

  test('does not open with another key', () => {
    expect(
      openValue(storeKeys([otherKeyPair.privateKey]), sealValue(keyPair.publicKey, VALUE, 'a'), 'a'),
    ).toBeUndefined();
  });

  test('does not open for another location', () => {
    const sealed = sealValue(keyPair.publicKey, VALUE, '1//token');
    expect(() => openValue(storeKeys([keyPair.privateKey]), sealed, '2//token')).toThrow();
  });

  test.each([0, 12, -1])('does not open after a change of byte %i', (index) => {
    const sealed = sealValue(keyPair.publicKey, VALUE, 'a');
    const ciphertext = Buffer.from(sealed.ciphertext);
    const position = index < 0 ? ciphertext.length + index : index;
    ciphertext[position] = (ciphertext[position] ?? 0) ^ 1;
    expect(() => openValue(storeKeys([keyPair.privateKey]), { ...sealed, ciphertext }, 'a')).toThrow();
  });
});

describe('a key rotation', () => {
  test('keeps value and location, for the new key only', () => {
    const sealed = sealValue(keyPair.publicKey, VALUE, 'a');
    const rewrapped = rewrapValue(storeKeys([keyPair.privateKey]), sealed, otherKeyPair.publicKey);
    expect(rewrapped && openValue(storeKeys([otherKeyPair.privateKey]), rewrapped, 'a')).toBe(VALUE);
    expect(rewrapped && openValue(storeKeys([keyPair.privateKey]), rewrapped, 'a')).toBeUndefined();
    expect(rewrapped?.ciphertext).toEqual(sealed.ciphertext);
  });

  test('returns nothing for a value whose key is missing', () => {
    const sealed = sealValue(keyPair.publicKey, VALUE, 'a');
    expect(rewrapValue(storeKeys([otherKeyPair.privateKey]), sealed, otherKeyPair.publicKey)).toBeUndefined();
  });
});
