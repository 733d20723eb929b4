import { describe, expect, test } from '@jest/globals';
import { array, assert, boolean, constant, integer, nat, oneof, property, record } from 'fast-check';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import {
  decideKeys,
  KEY_AHEAD_MS,
  KEY_OVERLAP_MS,
  KEY_SIGNS_MS,
  MAX_IDENTITY_SECONDS,
  publishedKeys,
  signingKey,
  type KeyTerm,
} from './identity-keys.ts';

type Key = KeyTerm & { isLost: boolean };

const at = (ms: number): Date => new Date(ms);
const key = (id: string, signsFrom: number, isLost = false): Key => ({
  id,
  signsFrom: at(signsFrom),
  isLost,
});
const ids = (keys: readonly KeyTerm[]): string[] => keys.map(({ id }) => id);
const DUE = KEY_SIGNS_MS - KEY_AHEAD_MS;

describe('the keys of identity tokens', () => {
  test.each<
    [
      title: string,
      known: { keys: Key[]; now: number },
      wanted: [createForMs: number | undefined, remove: string[]],
    ]
  >([
    ['begin with one that signs at once', { keys: [], now: 5 }, [0, []]],
    ['stay while the newest is fresh', { keys: [key('a', 0)], now: DUE - 1 }, [undefined, []]],
    ['get the next one a day before it signs', { keys: [key('a', 0)], now: DUE }, [KEY_AHEAD_MS, []]],
    [
      'wait for the next one to sign',
      { keys: [key('a', 0), key('b', KEY_SIGNS_MS)], now: KEY_SIGNS_MS - 1 },
      [undefined, []],
    ],
    [
      'include the former one until its tokens have ended',
      { keys: [key('a', 0), key('b', 100)], now: 99 + KEY_OVERLAP_MS },
      [undefined, []],
    ],
    [
      'lose the former one then',
      { keys: [key('b', 100), key('a', 0)], now: 100 + KEY_OVERLAP_MS },
      [undefined, ['a']],
    ],
    ['get one that signs at once if the newest is lost', { keys: [key('a', 0, true)], now: 7 }, [0, []]],
    [
      'lose one that is lost before it signs',
      { keys: [key('a', 0), key('b', 100, true)], now: 50 },
      [undefined, ['b']],
    ],
  ])('%s', (_title, { keys, now }, [createForMs, remove]) => {
    expect(decideKeys(keys, at(now))).toEqual({
      ...(createForMs !== undefined && { createForMs }),
      remove,
    });
  });

  test('sign one at a time, the newest that has begun', () => {
    const keys = [key('b', 100), key('a', 0), key('c', 200)];
    const signs = [-1, 0, 99, 100, 500].map((now) => signingKey(keys, at(now))?.id);
    expect(signs).toEqual([undefined, 'a', 'a', 'b', 'c']);
  });

  test('are published before they sign, and until an hour after the next begins', () => {
    const keys = [key('b', 100), key('a', 0)];
    expect(ids(publishedKeys(keys, at(0)))).toEqual(['a', 'b']);
    expect(ids(publishedKeys(keys, at(99 + KEY_OVERLAP_MS)))).toEqual(['a', 'b']);
    expect(ids(publishedKeys(keys, at(100 + KEY_OVERLAP_MS)))).toEqual(['b']);
  });

  /** The operator looks after pauses of up to 40 days; gateways sign in between, and keys get lost. */
  test('verify every token until it ends, and none after the overlap', () => {
    const step = record({
      // 0: until a minute before the newest key signs.
      pauseMinutes: oneof(constant(0), integer({ min: 1, max: 15 }), integer({ min: 1, max: 40 * 24 * 60 })),
      operatorLooks: boolean(),
      newestIsLost: nat(9).map((number) => number === 0),
    });
    assert(
      property(array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const history = new History();
        history.look();
        for (const { pauseMinutes, operatorLooks, newestIsLost } of steps) {
          history.pass(pauseMinutes * 60_000);
          if (newestIsLost) history.loseNewest();
          if (operatorLooks || newestIsLost) history.look();
          history.sign();
          history.check();
        }
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});

/** Keys and tokens over time. */
class History {
  now = 0;
  #created = 0;
  #keys: (Key & { publishedAt: number })[] = [];
  readonly #tokens: { key: string; ends: number }[] = [];

  pass(ms: number): void {
    const edge = (this.#keys.at(-1)?.signsFrom.getTime() ?? 0) - 60_000;
    this.now = ms === 0 ? Math.max(this.now, edge) : this.now + ms;
  }

  look(): void {
    const { createForMs, remove } = decideKeys(this.#keys, at(this.now));
    this.#keys = this.#keys.filter(({ id }) => !remove.includes(id));
    if (createForMs === undefined) return;
    this.#created += 1;
    const id = `${this.#created}`;
    const signsFrom = at(this.now + createForMs);
    this.#keys.push({ id, signsFrom, isLost: false, publishedAt: this.now });
  }

  loseNewest(): void {
    const newest = this.#keys.at(-1);
    if (newest) newest.isLost = true;
  }

  sign(): void {
    const signing = signingKey(this.#keys, at(this.now));
    if (signing === undefined || signing.isLost) throw new Error('no key signs');
    const { publishedAt, signsFrom } = signing;
    const isAhead = publishedAt === signsFrom.getTime() || signsFrom.getTime() - publishedAt >= KEY_AHEAD_MS;
    expect(isAhead).toBe(true);
    this.#tokens.push({ key: signing.id, ends: this.now + MAX_IDENTITY_SECONDS * 1000 });
  }

  check(): void {
    const published = ids(publishedKeys(this.#keys, at(this.now)));
    const running = this.#tokens.filter(({ ends }) => ends > this.now);
    for (const { key: id } of running) expect(published).toContain(id);
    const former = this.#keys.filter(({ signsFrom }) => signsFrom.getTime() <= this.now - KEY_OVERLAP_MS);
    for (const { id } of former.slice(0, -1)) expect(published).not.toContain(id);
  }
}
