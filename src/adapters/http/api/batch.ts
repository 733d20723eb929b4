import { Problem } from '#adapters/http/protocol/problem.ts';

export interface Batching<T, A> {
  /** Handles a batch; responds in the order of the items. */
  call: (items: T[]) => Promise<A[]>;
  /** Items with the same name count as one. */
  nameOf: (item: T) => string;
  /** Items per call. */
  maxItems: number;
  /** Items that may wait. More are refused: they would wait until nobody wants the response. */
  maxWaiting: number;
}

interface Waiting<T, A> extends PromiseWithResolvers<A> {
  item: T;
}

/**
 * Group commit: items that arrive while a call runs share the next call. A thousand requests cost one
 * transaction, and a single one waits for nothing. Each item's call starts after the item arrived.
 */
export function batched<T, A>(batching: Batching<T, A>): (item: T) => Promise<A> {
  const { call, nameOf, maxItems, maxWaiting } = batching;
  let waiting = new Map<string, Waiting<T, A>>();
  let underway = false;

  const take = (): Waiting<T, A>[] => {
    if (waiting.size > maxItems) return takeFirst(waiting, maxItems);
    const taken = [...waiting.values()];
    waiting = new Map();
    return taken;
  };
  const work = async (): Promise<void> => {
    for (let batch = take(); batch.length > 0; batch = take()) await settle(batch, call);
    underway = false;
  };
  return async (item) => {
    const name = nameOf(item);
    const same = waiting.get(name);
    if (same !== undefined) return same.promise;
    if (waiting.size >= maxWaiting)
      throw new Problem('unavailable', 'The server is overloaded. Try again in a second.');
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    waiting.set(name, { item, promise, resolve, reject });
    if (!underway) {
      underway = true;
      // Items that arrived together join this batch.
      setImmediate(() => void work());
    }
    return promise;
  };
}

function takeFirst<V>(waiting: Map<string, V>, limit: number): V[] {
  const taken = [...waiting.entries().take(limit)];
  for (const [name] of taken) waiting.delete(name);
  return taken.map(([, one]) => one);
}

async function settle<T, A>(batch: Waiting<T, A>[], call: (items: T[]) => Promise<A[]>): Promise<void> {
  try {
    const answers = await call(batch.map(({ item }) => item));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index];
      if (answer === undefined) reject(new Error('A call answered fewer items than it was given.'));
      else resolve(answer);
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
