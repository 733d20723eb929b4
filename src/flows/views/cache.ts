/**
 * A cache of values that take time to make. If it is full, drops the least recently used values first.
 * Concurrent callers with the same key share one call of `make`.
 */
export interface Cache<V> {
  get(key: string, make: () => Promise<V>): Promise<V>;
  /** The cached value, without waiting; undefined if no value is cached, or if it is too old. */
  cached(key: string): V | undefined;
}

export interface CacheOptions<V> {
  /** In the unit of `sizeOf`. Without `sizeOf`, the maximum number of values. */
  maxSize: number;
  sizeOf?: (value: V) => number;
  /** Maximum age of a value. After that, `make` runs again. The age counts from the call of `make`. */
  maxAge?: { ms: number; now: () => number };
  /** Whether a value is only returned to the callers that wait for it, and not stored. */
  skips?: (value: V) => boolean;
}

interface Entry<V> {
  made: Promise<V>;
  value: V | undefined;
  size: number;
  madeAt: number;
}

export function createCache<V>(options: CacheOptions<V>): Cache<V> {
  const { maxSize, sizeOf = () => 1, maxAge, skips = () => false } = options;
  const entries = createEntries<V>(maxSize);
  const now = (): number => maxAge?.now() ?? 0;
  const isFresh = ({ madeAt }: Entry<V>): boolean => maxAge === undefined || now() - madeAt < maxAge.ms;
  const begin = (key: string, make: () => Promise<V>): Entry<V> => {
    const entry: Entry<V> = { made: make(), value: undefined, size: 0, madeAt: now() };
    entries.add(key, entry);
    const store = (value: V): void => {
      if (skips(value)) entries.drop(key, entry);
      else entries.fill(key, entry, { value, size: sizeOf(value) });
    };
    entry.made.then(store, () => entries.drop(key, entry));
    return entry;
  };
  return {
    async get(key, make) {
      const entry = entries.find(key);
      if (entry !== undefined && isFresh(entry)) {
        entries.touch(key, entry);
        return await entry.made;
      }
      if (entry !== undefined) entries.drop(key, entry);
      return await begin(key, make).made;
    },
    cached(key) {
      const entry = entries.find(key);
      if (entry?.value === undefined || !isFresh(entry)) return undefined;
      entries.touch(key, entry);
      return entry.value;
    },
  };
}

/**
 * Entries in the order of their last use. `drop` and `fill` ignore an entry that was replaced under its key.
 */
function createEntries<V>(maxSize: number) {
  const entries = new Map<string, Entry<V>>();
  let total = 0;
  let mostRecent: Entry<V> | undefined;
  const drop = (key: string, entry: Entry<V>): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    total -= entry.size;
  };
  const add = (key: string, entry: Entry<V>): void => {
    entries.set(key, entry);
    mostRecent = entry;
  };
  return {
    find: (key: string) => entries.get(key),
    add,
    drop,
    touch(key: string, entry: Entry<V>): void {
      if (mostRecent === entry) return;
      entries.delete(key);
      add(key, entry);
    },
    fill(key: string, entry: Entry<V>, { value, size }: { value: V; size: number }): void {
      if (entries.get(key) !== entry) return;
      // Storing a value this large would drop all other values.
      if (size > maxSize) return drop(key, entry);
      entry.value = value;
      entry.size = size;
      total += size;
      for (const [oldestKey, oldest] of entries) {
        if (total <= maxSize) break;
        // A value that is still being made takes no space, and callers wait for it.
        if (oldest.value !== undefined) drop(oldestKey, oldest);
      }
    },
  };
}
