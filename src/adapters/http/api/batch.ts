import { Problem } from '#adapters/http/protocol/problem.ts';

export interface Batching<T, A> {
  /** Handles a batch; returns the answers in the order of the items. */
  call: (items: T[]) => Promise<A[]>;
  /** Items with the same name count as one. */
  nameOf: (item: T) => string;
  /** Items per call. */
  maxItems: number;
  /**
   * How many items may wait. More are refused, because their callers would give up before they get a
   * response.
   */
  maxWaiting: number;
}

interface Waiting<T, A> extends PromiseWithResolvers<A> {
  item: T;
}

/**
 * Returns a function that handles single items in batches: items that arrive while a call runs share the next
 * call. So a thousand requests cost one transaction, and a single request does not wait. The call of each
 * item starts after the item arrived.
 */
export function batched<T, A>(batching: Batching<T, A>): (item: T) => Promise<A> {
  const { call, nameOf, maxItems, maxWaiting } = batching;
  let waitingItems = new Map<string, Waiting<T, A>>();
  let isRunning = false;

  const takeBatch = (): Waiting<T, A>[] => {
    if (waitingItems.size > maxItems) return takeFirst(waitingItems, maxItems);
    const batch = [...waitingItems.values()];
    waitingItems = new Map();
    return batch;
  };
  const runCalls = async (): Promise<void> => {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) await settle(batch, call);
    isRunning = false;
  };
  return async (item) => {
    const name = nameOf(item);
    const equalItem = waitingItems.get(name);
    if (equalItem !== undefined) return equalItem.promise;
    if (waitingItems.size >= maxWaiting)
      throw new Problem('unavailable', 'The server is overloaded. Try again in a second.');
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    waitingItems.set(name, { item, promise, resolve, reject });
    if (!isRunning) {
      isRunning = true;
      // Items that arrive in the same turn of the event loop join this batch.
      setImmediate(() => void runCalls());
    }
    return promise;
  };
}

function takeFirst<V>(waitingItems: Map<string, V>, limit: number): V[] {
  const taken = [...waitingItems.entries().take(limit)];
  for (const [name] of taken) waitingItems.delete(name);
  return taken.map(([, value]) => value);
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
