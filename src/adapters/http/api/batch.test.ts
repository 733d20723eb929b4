import { describe, expect, test } from '@jest/globals';
import { batched } from './batch.ts';

/** Calls that end when the test ends them. */
function batchedCalls(limits: { maxItems?: number; maxWaiting?: number } = {}) {
  const calls: { items: string[]; end: (answers?: string[]) => void; fail: () => void }[] = [];
  const ask = batched<string, string>({
    call: async (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      calls.push({
        items,
        end: (answers = items.map((item) => `${item}!`)) => resolve(answers),
        fail: () => reject(new Error('failed')),
      });
      return await promise;
    },
    nameOf: (item) => item,
    maxItems: 10,
    maxWaiting: 100,
    ...limits,
  });
  return { calls, ask };
}

/** Waits until `batched` has started its next call, with `setImmediate`, and has handled calls that ended. */
const nextTurns = async (): Promise<void> => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};

describe('batched requests', () => {
  test('in the same turn of the event loop share one call, and equal items are sent once', async () => {
    const { calls, ask } = batchedCalls();
    const answers = [ask('a'), ask('b'), ask('a')];
    await nextTurns();
    expect(calls.map(({ items }) => items)).toEqual([['a', 'b']]);
    calls[0]?.end();
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'a!']);
  });

  test('during a call share the next call', async () => {
    const { calls, ask } = batchedCalls();
    const first = ask('a');
    await nextTurns();
    const burst = [ask('a'), ask('b'), ask('a')];
    await nextTurns();
    expect(calls).toHaveLength(1);
    calls[0]?.end(['one']);
    expect(await first).toBe('one');
    await nextTurns();
    expect(calls[1]?.items).toEqual(['a', 'b']);
    calls[1]?.end(['two', 'three']);
    expect(await Promise.all(burst)).toEqual(['two', 'three', 'two']);
  });

  test('beyond the size limit of a call wait for the next one', async () => {
    const { calls, ask } = batchedCalls({ maxItems: 2 });
    const answers = Promise.all([ask('a'), ask('b'), ask('c')]);
    await nextTurns();
    calls[0]?.end();
    await nextTurns();
    expect(calls.map(({ items }) => items)).toEqual([['a', 'b'], ['c']]);
    calls[1]?.end();
    expect(await answers).toEqual(['a!', 'b!', 'c!']);
  });

  test('fail only if their own call fails', async () => {
    const { calls, ask } = batchedCalls({ maxItems: 1 });
    const [firstAnswer, secondAnswer] = [ask('a'), ask('b')];
    await nextTurns();
    calls[0]?.fail();
    await expect(firstAnswer).rejects.toThrow('failed');
    await nextTurns();
    calls[1]?.end();
    expect(await secondAnswer).toBe('b!');
  });

  test('beyond the queue limit are refused at once, unless an equal item is queued', async () => {
    const { calls, ask } = batchedCalls({ maxWaiting: 2 });
    const answers = Promise.all([ask('a'), ask('b'), ask('b')]);
    await expect(ask('c')).rejects.toMatchObject({ status: 503 });
    await nextTurns();
    calls[0]?.end();
    expect(await answers).toEqual(['a!', 'b!', 'b!']);
  });
});
