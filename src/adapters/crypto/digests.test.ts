import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { versionDigest, webhookToken, webhookTokenHash } from './digests.ts';

describe('the digest of a version', () => {
  test('does not depend on the order of fields', () => {
    expect(versionDigest({ a: '1', b: '2' })).toEqual(versionDigest({ b: '2', a: '1' }));
  });

  test('depends on every name and every value', () => {
    const version = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, noNullPrototype: true });
    fc.assert(
      fc.property(version, version, (fields, otherFields) => {
        const equal = isDeepStrictEqual(fields, otherFields);
        expect(versionDigest(fields).equals(versionDigest(otherFields))).toBe(equal);
      }),
    );
    expect(versionDigest({ a: '1', b: '' })).not.toEqual(versionDigest({ a: '1b' }));
  });
});

test('a webhook token depends on key, resource and generation, and is the same each time', () => {
  const key = Buffer.alloc(32, 1);
  const token = webhookToken(key, 7, 1);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(webhookToken(key, 7, 1)).toBe(token);
  const others = [webhookToken(key, 7, 2), webhookToken(key, 71, 1), webhookToken(Buffer.alloc(32, 2), 7, 1)];
  expect(new Set([token, ...others]).size).toBe(4);
  expect(webhookTokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
});
