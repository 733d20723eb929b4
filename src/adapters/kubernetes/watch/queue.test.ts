import { describe, expect, test } from '@jest/globals';
import { WorkQueue, type QueueClock, type ReconcileResult } from './queue.ts';

/** A clock that moves only when the test moves it. */
class ManualClock implements QueueClock {
  time = 0;
  readonly #alarms = new Set<{ at: number; act: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, act: () => void): () => void {
    const alarm = { at: this.time + ms, act };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.#alarms].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#alarms.delete(next);
      this.time = Math.max(this.time, next.at);
      next.act();
      await settle();
    }
    this.time = end;
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

interface TestQueue {
  clock: ManualClock;
  queue: WorkQueue;
  started: string[];
  /** Ends the oldest work on the key. */
  end: (key: string, ending?: ReconcileResult | Error) => Promise<void>;
  errors: number[];
}

function testQueue(concurrency = 2, shareOf?: (key: string) => string): TestQueue {
  const clock = new ManualClock();
  const started: string[] = [];
  const errors: number[] = [];
  const open = new Map<string, PromiseWithResolvers<ReconcileResult>>();
  const queue = new WorkQueue({
    clock,
    concurrency,
    baseMs: 100,
    longestMs: 1000,
    ...(shareOf === undefined ? {} : { shareOf }),
    work: (key) => {
      started.push(key);
      const working = Promise.withResolvers<ReconcileResult>();
      open.set(key, working);
      return working.promise;
    },
    onError: (_, __, ms) => errors.push(ms),
  });
  const end = async (key: string, ending: ReconcileResult | Error = 'done'): Promise<void> => {
    if (Error.isError(ending)) open.get(key)?.reject(ending);
    else open.get(key)?.resolve(ending);
    await settle();
  };
  return { clock, queue, started, end, errors };
}

/** The share of a key is the text before its first `/`. */
const sharedQueue = (concurrency: number): TestQueue =>
  testQueue(concurrency, (key) => key.split('/')[0] ?? '');

describe('a queue of keys', () => {
  test('runs the work of a key at once, and only once however often the key was added', async () => {
    const { queue, started, end } = testQueue(1);
    queue.add('a');
    queue.add('b');
    queue.add('b');
    expect(started).toEqual(['a']);
    await end('a');
    await end('b');
    expect(started).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  test('runs again for a key that was added during its work, never twice at the same time', async () => {
    const { queue, started, end } = testQueue();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(started).toEqual(['a']);
    await end('a');
    expect(started).toEqual(['a', 'a']);
    await end('a');
    expect(started).toEqual(['a', 'a']);
  });

  test('runs as many keys at the same time as its concurrency allows', async () => {
    const { queue, started, end } = testQueue(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
  });

  describe('with several shares', () => {
    test('lets the shares take turns, however many keys one of them has', async () => {
      const { queue, started, end } = sharedQueue(1);
      for (let index = 0; index < 1000; index += 1) queue.add(`greedy/${index}`);
      queue.add('good/1');
      await end('greedy/0');
      await end(started.at(-1) ?? '');
      expect(started).toHaveLength(3);
      expect(started).toContain('good/1');
    });

    test('reserves a slot for other shares while one share has long work', () => {
      const { queue, started } = sharedQueue(4);
      for (let index = 0; index < 10; index += 1) queue.add(`greedy/${index}`);
      expect(started).toHaveLength(3);
      queue.add('good/1');
      expect(started.at(-1)).toBe('good/1');
    });

    test('runs the work of all keys in the end', async () => {
      const { queue, started, end } = sharedQueue(2);
      const keys = ['a/1', 'a/2', 'a/3', 'b/1', 'c/1'];
      for (const key of keys) queue.add(key);
      for (let round = 0; round < 5; round += 1) for (const key of started) await end(key);
      expect(started.toSorted((a, b) => a.localeCompare(b))).toEqual(keys);
      expect(queue.size).toBe(0);
    });
  });

  test('retries after an error with growing waits up to the longest', async () => {
    const { clock, queue, started, end, errors } = testQueue();
    queue.add('a');
    for (let failure = 0; failure < 6; failure += 1) {
      await end('a', new Error('no'));
      await clock.advance(1000);
    }
    expect(started).toHaveLength(7);
    // A wait is at least half of the limit, which doubles with each failure up to 1000 ms.
    for (const [index, ms] of errors.entries())
      expect(ms).toBeGreaterThanOrEqual(Math.min(1000, 100 * 2 ** index) / 2);
    expect(errors).toHaveLength(6);
    expect(Math.max(...errors)).toBeLessThanOrEqual(1000);
    expect(errors[0]).toBeLessThanOrEqual(100);
  });

  test('forgets earlier errors after a success', async () => {
    const { clock, queue, end, errors } = testQueue();
    queue.add('a');
    for (let failure = 0; failure < 3; failure += 1) {
      await end('a', new Error('no'));
      await clock.advance(1000);
    }
    await end('a', { requeueAfterMs: 10 });
    await clock.advance(10);
    await end('a', new Error('no'));
    expect(errors.at(-1)).toBeLessThanOrEqual(100);
  });

  test('runs again after the wait that the work requested, or earlier when the key is added', async () => {
    const { clock, queue, started, end } = testQueue();
    queue.add('a');
    await end('a', { requeueAfterMs: 500 });
    await clock.advance(499);
    expect(started).toEqual(['a']);
    await clock.advance(1);
    expect(started).toEqual(['a', 'a']);
    await end('a', { requeueAfterMs: 500 });
    queue.add('a');
    expect(started).toEqual(['a', 'a', 'a']);
    await end('a');
    await clock.advance(5000);
    expect(started).toEqual(['a', 'a', 'a']);
  });

  test('delays a key by the shortest of several waits', async () => {
    const { clock, queue, started } = testQueue();
    queue.addAfter('a', 300);
    queue.addAfter('a', 100);
    queue.addAfter('a', 200);
    await clock.advance(99);
    expect(started).toEqual([]);
    await clock.advance(1);
    expect(started).toEqual(['a']);
    await clock.advance(300);
    expect(started).toEqual(['a']);
  });

  test('runs once more for a key that was added with a delay during its work', async () => {
    const { clock, queue, started, end } = testQueue();
    queue.add('a');
    queue.addAfter('a', 300);
    queue.addAfter('a', 100);
    await clock.advance(40);
    await end('a', { requeueAfterMs: 5000 });
    await clock.advance(59);
    expect(started).toEqual(['a']);
    await clock.advance(1);
    expect(started).toEqual(['a', 'a']);
    await end('a');
    await clock.advance(10_000);
    expect(started).toEqual(['a', 'a']);
  });

  test('runs again at once for a key whose delay is over when its work ends', async () => {
    const { clock, queue, started, end } = testQueue();
    queue.add('a');
    queue.addAfter('a', 100);
    await clock.advance(500);
    expect(started).toEqual(['a']);
    await end('a');
    await clock.advance(0);
    expect(started).toEqual(['a', 'a']);
  });

  test('reports for how long it made no progress while work was due', async () => {
    const { clock, queue, end } = testQueue(1);
    await clock.advance(10_000);
    queue.add('a');
    queue.add('b');
    expect(queue.stuckMs()).toBe(0);
    await clock.advance(7000);
    expect(queue.stuckMs()).toBe(7000);
    await end('a');
    expect(queue.stuckMs()).toBe(0);
    await end('b');
    await clock.advance(7000);
    expect(queue.stuckMs()).toBe(0);
  });

  test('stops when the running work has ended, and starts nothing more', async () => {
    const { clock, queue, started, end } = testQueue(1);
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    let stopped = false;
    const stopping = (async () => {
      await queue.stop();
      stopped = true;
    })();
    await settle();
    expect(stopped).toBe(false);
    await end('a');
    await stopping;
    queue.add('d');
    await clock.advance(1000);
    expect(started).toEqual(['a']);
  });
});
