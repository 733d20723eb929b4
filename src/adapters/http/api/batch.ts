import { Problem } from '#adapters/http/protocol/problem.ts';

export interface Batching<Item, Answer> {
  /** Handles the items of a batch and returns the answers in the same order. */
  call: (items: Item[]) => Promise<Answer[]>;
  /** Of the items with the same name that wait, only one is handled. The others get its answer. */
  nameOf: (item: Item) => string;
  /** The most items that one call gets. */
  maxItems: number;
  /**
   * How many items with different names may wait. Further ones are refused, because their callers would give
   * up before they get an answer.
   */
  maxWaiting: number;
}

interface Waiting<Item, Answer> extends PromiseWithResolvers<Answer> {
  item: Item;
}

/**
 * Returns a function that handles single items in batches: items that arrive while a call runs share the next
 * call, up to `maxItems`. So a thousand requests at once can cost one transaction, and a single request need
 * not wait for others. The call that handles an item starts after the item arrived, so its answer is never
 * older than the item.
 */
export function batched<Item, Answer>(batching: Batching<Item, Answer>): (item: Item) => Promise<Answer> {
  const { call, nameOf, maxItems, maxWaiting } = batching;
  let waitingItems = new Map<string, Waiting<Item, Answer>>();
  let isRunning = false;

  const takeBatch = (): Waiting<Item, Answer>[] => {
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
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
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

async function settle<Item, Answer>(
  batch: Waiting<Item, Answer>[],
  call: (items: Item[]) => Promise<Answer[]>,
): Promise<void> {
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
