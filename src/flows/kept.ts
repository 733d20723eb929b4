/** What was made is kept while there is room: those that nobody wanted for longest go first. One making for all who want it meanwhile. */
export interface Kept<V> {
  get(key: string, make: () => Promise<V>): Promise<V>;
}

interface Entry<V> {
  made: Promise<V>;
  size: number;
  at: number;
}

export interface KeptOptions<V> {
  /** In whatever `sizeOf` counts; 1 for each where it is absent. */
  most: number;
  sizeOf?: (value: V) => number;
  /** Milliseconds after which it is made anew, from the moment at which its making began. */
  fresh?: { for: number; now: () => number };
  /** What is not worth keeping once it was handed out. */
  forgets?: (value: V) => boolean;
}

export function kept<V>({ most, sizeOf = () => 1, fresh, forgets = () => false }: KeptOptions<V>): Kept<V> {
  const entries = new Map<string, Entry<V>>();
  let total = 0;
  const drop = (key: string, entry: Entry<V>): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    total -= entry.size;
  };
  const shrink = (): void => {
    for (const [oldest, one] of entries) {
      if (total <= most) break;
      drop(oldest, one);
    }
  };
  const begin = (key: string, make: () => Promise<V>, at: number): Entry<V> => {
    const entry: Entry<V> = { made: make(), size: 0, at };
    entries.set(key, entry);
    const settled = (value: V): void => {
      if (entries.get(key) !== entry) return;
      if (forgets(value)) {
        drop(key, entry);
        return;
      }
      entry.size = sizeOf(value);
      total += entry.size;
      shrink();
    };
    entry.made.then(settled, () => drop(key, entry));
    return entry;
  };
  return {
    async get(key, make) {
      const at = fresh?.now() ?? 0;
      const known = entries.get(key);
      if (known === undefined || (fresh !== undefined && at - known.at >= fresh.for)) {
        if (known !== undefined) drop(key, known);
        return await begin(key, make, at).made;
      }
      // Wanted last, dropped last.
      entries.delete(key);
      entries.set(key, known);
      return await known.made;
    },
  };
}
