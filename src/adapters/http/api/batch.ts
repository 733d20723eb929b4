import { Problem } from '#adapters/http/protocol/problem.ts';

export interface Batching<T, A> {
  /** Answers in the order of the items. */
  call: (items: T[]) => Promise<A[]>;
  /** Items of one name are one item. */
  nameOf: (item: T) => string;
  /** Of one call. */
  most: number;
  /** More are refused: they would only wait until nobody wants their answer. */
  mostWaiting: number;
}

interface Waiting<T, A> extends PromiseWithResolvers<A> {
  item: T;
}

/**
 * Group commit: what comes while a call is under way shares the next one, so that a thousand requests cost
 * one transaction, and a single one waits for nobody. Every item's call begins after the item came.
 */
export function batched<T, A>(gathering: Batching<T, A>): (item: T) => Promise<A> {
  const { call, nameOf, most, mostWaiting } = gathering;
  let waiting = new Map<string, Waiting<T, A>>();
  let underway = false;

  const take = (): Waiting<T, A>[] => {
    if (waiting.size > most) return takeFirst(waiting, most);
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
    const known = waiting.get(name);
    if (known !== undefined) return known.promise;
    if (waiting.size >= mostWaiting)
      throw new Problem('unavailable', 'The server is overloaded. Try again in a second.');
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    waiting.set(name, { item, promise, resolve, reject });
    if (!underway) {
      underway = true;
      // What came with this one is read first.
      setImmediate(() => void work());
    }
    return promise;
  };
}

function takeFirst<V>(waiting: Map<string, V>, most: number): V[] {
  const taken = [...waiting.entries().take(most)];
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
