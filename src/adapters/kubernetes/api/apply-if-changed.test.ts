import { describe, expect, test } from '@jest/globals';
import { applyIfChanged, covers } from './apply-if-changed.ts';
import type { ApiKind } from './kinds.ts';

interface Thing {
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: { size?: number; color?: string; items?: { name: string; port?: number }[] };
}

const KIND: ApiKind<Thing> = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
const expected: Thing = { metadata: { name: 'a' }, spec: { size: 1, items: [{ name: 'x' }] } };

/** Applies `target` if it differs from `current`. Returns the object that was applied, if any. */
async function applyTo(target: Thing, current: Thing | undefined): Promise<Thing | undefined> {
  let applied: Thing | undefined;
  const client = {
    apply: <T>(_: unknown, object: T) => {
      applied = JSON.parse(JSON.stringify(object));
      return Promise.resolve({ ok: true as const, value: object });
    },
  };
  await applyIfChanged(client, KIND, target, current);
  return applied;
}

/**
 * The object as the API server stores it: with the digest of the last apply and with the server's defaults.
 */
async function stored(target: Thing): Promise<Thing> {
  const object = (await applyTo(target, undefined)) ?? target;
  return { ...object, spec: { color: 'grey', ...object.spec, items: [{ name: 'x', port: 80 }] } };
}

describe('an object', () => {
  test('is applied if it does not exist', async () => {
    expect(await applyTo(expected, undefined)).toMatchObject(expected);
  });

  test('is not applied if it exists and differs only by defaults of the API server', async () => {
    expect(await applyTo(expected, await stored(expected))).toBeUndefined();
  });

  test('is applied if somebody changed one of our fields', async () => {
    const current = await stored(expected);
    expect(await applyTo(expected, { ...current, spec: { ...current.spec, size: 2 } })).toMatchObject(
      expected,
    );
  });

  test('is applied if a field was removed, even when all remaining fields are equal', async () => {
    const current = await stored({ ...expected, spec: { ...expected.spec, color: 'red' } });
    expect(covers(current, expected)).toBe(true);
    expect(await applyTo(expected, current)).toMatchObject(expected);
  });
});

test('lists must have the same length, and are compared item by item', () => {
  expect(covers({ items: [1, 2] }, { items: [1] })).toBe(false);
  expect(covers({ items: [{ a: 1, b: 2 }] }, { items: [{ a: 1 }] })).toBe(true);
  expect(covers({ items: 'x' }, { items: [] })).toBe(false);
  expect(covers({}, { items: {} })).toBe(true);
  expect(covers({}, { items: { a: 1 } })).toBe(false);
});
