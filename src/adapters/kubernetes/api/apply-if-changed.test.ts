import { describe, expect, test } from '@jest/globals';
import { applyIfChanged, covers } from './apply-if-changed.ts';
import type { ApiKind } from './kinds.ts';

interface Thing {
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: { size?: number; color?: string; items?: { name: string; port?: number }[] };
}

const KIND: ApiKind<Thing> = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
const wanted: Thing = { metadata: { name: 'a' }, spec: { size: 1, items: [{ name: 'x' }] } };

/** What would be written for what is wanted while something is there. */
async function written(what: Thing, current: Thing | undefined): Promise<Thing | undefined> {
  let applied: Thing | undefined;
  const client = {
    apply: <T>(_: unknown, object: T) => {
      applied = JSON.parse(JSON.stringify(object));
      return Promise.resolve({ ok: true as const, value: object });
    },
  };
  await applyIfChanged(client, KIND, what, current);
  return applied;
}

/** As the API server keeps it: with the digest that was applied, and with defaults of its own. */
async function stored(what: Thing): Promise<Thing> {
  const object = (await written(what, undefined)) ?? what;
  return { ...object, spec: { color: 'grey', ...object.spec, items: [{ name: 'x', port: 80 }] } };
}

describe('what is wanted is applied', () => {
  test('when nothing is there', async () => {
    expect(await written(wanted, undefined)).toMatchObject(wanted);
  });

  test('never when it is there already, defaults of the API server beside it', async () => {
    expect(await written(wanted, await stored(wanted))).toBeUndefined();
  });

  test('when somebody changed a field of ours', async () => {
    const current = await stored(wanted);
    expect(await written(wanted, { ...current, spec: { ...current.spec, size: 2 } })).toMatchObject(wanted);
  });

  test('when a field is wanted no more, though all wanted ones are there', async () => {
    const current = await stored({ ...wanted, spec: { ...wanted.spec, color: 'red' } });
    expect(covers(current, wanted)).toBe(true);
    expect(await written(wanted, current)).toMatchObject(wanted);
  });
});

test('lists must be equal item by item', () => {
  expect(covers({ items: [1, 2] }, { items: [1] })).toBe(false);
  expect(covers({ items: [{ a: 1, b: 2 }] }, { items: [{ a: 1 }] })).toBe(true);
  expect(covers({ items: 'x' }, { items: [] })).toBe(false);
  expect(covers({}, { items: {} })).toBe(true);
  expect(covers({}, { items: { a: 1 } })).toBe(false);
});
