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
      wanted: [newKeySignsInMs: number | undefined, remove: string[]],
    ]
  >([
    ['begin with one that signs at once', { keys: [], now: 5 }, [0, []]],
    ['do not change while the newest is fresh', { keys: [key('a', 0)], now: DUE - 1 }, [undefined, []]],
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
      'lose the former one when its tokens have ended',
      { keys: [key('b', 100), key('a', 0)], now: 100 + KEY_OVERLAP_MS },
      [undefined, ['a']],
    ],
    ['get one that signs at once if the newest is lost', { keys: [key('a', 0, true)], now: 7 }, [0, []]],
    [
      'lose one that is lost before it signs',
      { keys: [key('a', 0), key('b', 100, true)], now: 50 },
      [undefined, ['b']],
    ],
  ])('%s', (_title, { keys, now }, [newKeySignsInMs, remove]) => {
    expect(decideKeys(keys, at(now))).toEqual({
      ...(newKeySignsInMs !== undefined && { newKeySignsInMs }),
      remove,
    });
  });

  test('sign one at a time: the newest of those that may sign already', () => {
    const keys = [key('b', 100), key('a', 0), key('c', 200)];
    const signs = [-1, 0, 99, 100, 500].map((now) => signingKey(keys, at(now))?.id);
    expect(signs).toEqual([undefined, 'a', 'a', 'b', 'c']);
  });

  test('are published before they sign, and until an hour after the next key begins to sign', () => {
    const keys = [key('b', 100), key('a', 0)];
    expect(ids(publishedKeys(keys, at(0)))).toEqual(['a', 'b']);
    expect(ids(publishedKeys(keys, at(99 + KEY_OVERLAP_MS)))).toEqual(['a', 'b']);
    expect(ids(publishedKeys(keys, at(100 + KEY_OVERLAP_MS)))).toEqual(['b']);
  });

  /**
   * In a random history, the operator decides about the keys after pauses of up to 40 days. Gateways sign
   * tokens in between, and keys get lost.
   */
  test('verify every token until it ends, and none after the overlap', () => {
    const step = record({
      // 0: the pause lasts until a minute before the newest key signs.
      pauseMinutes: oneof(constant(0), integer({ min: 1, max: 15 }), integer({ min: 1, max: 40 * 24 * 60 })),
      operatorRuns: boolean(),
      newestIsLost: nat(9).map((number) => number === 0),
    });
    assert(
      property(array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const history = new History();
        history.runOperator();
        for (const { pauseMinutes, operatorRuns, newestIsLost } of steps) {
          history.passTime(pauseMinutes * 60_000);
          if (newestIsLost) history.loseNewest();
          if (operatorRuns || newestIsLost) history.runOperator();
          history.signToken();
          history.checkPublishedKeys();
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

  passTime(ms: number): void {
    const minuteBeforeNewestSigns = (this.#keys.at(-1)?.signsFrom.getTime() ?? 0) - 60_000;
    this.now = ms === 0 ? Math.max(this.now, minuteBeforeNewestSigns) : this.now + ms;
  }

  runOperator(): void {
    const { newKeySignsInMs, remove } = decideKeys(this.#keys, at(this.now));
    this.#keys = this.#keys.filter(({ id }) => !remove.includes(id));
    if (newKeySignsInMs === undefined) return;
    this.#created += 1;
    const id = `${this.#created}`;
    const signsFrom = at(this.now + newKeySignsInMs);
    this.#keys.push({ id, signsFrom, isLost: false, publishedAt: this.now });
  }

  loseNewest(): void {
    const newest = this.#keys.at(-1);
    if (newest) newest.isLost = true;
  }

  signToken(): void {
    const signing = signingKey(this.#keys, at(this.now));
    if (signing === undefined || signing.isLost) throw new Error('no key signs');
    const { publishedAt, signsFrom } = signing;
    const isPublishedInTime =
      publishedAt === signsFrom.getTime() || signsFrom.getTime() - publishedAt >= KEY_AHEAD_MS;
    expect(isPublishedInTime).toBe(true);
    this.#tokens.push({ key: signing.id, ends: this.now + MAX_IDENTITY_SECONDS * 1000 });
  }

  checkPublishedKeys(): void {
    const published = ids(publishedKeys(this.#keys, at(this.now)));
    const running = this.#tokens.filter(({ ends }) => ends > this.now);
    for (const { key: id } of running) expect(published).toContain(id);
    const former = this.#keys.filter(({ signsFrom }) => signsFrom.getTime() <= this.now - KEY_OVERLAP_MS);
    for (const { id } of former.slice(0, -1)) expect(published).not.toContain(id);
  }
}
