/**
 * Values that cost time to make. The least recently used are dropped first. Callers at the same time share
 * one `make`.
 */
export interface Cache<V> {
  get(key: string, make: () => Promise<V>): Promise<V>;
  /** Without waiting; undefined if the value is not here, or too old. */
  cached(key: string): V | undefined;
}

interface Entry<V> {
  made: Promise<V>;
  value: V | undefined;
  size: number;
  at: number;
}

export interface CacheOptions<V> {
  /** In the unit of `sizeOf`; without it, the number of values. */
  maxSize: number;
  sizeOf?: (value: V) => number;
  /** A value is made again when it is older. Its age counts from when `make` was called. */
  maxAge?: { ms: number; now: () => number };
  /** Such a value goes to the callers that wait for it and is not stored. */
  skips?: (value: V) => boolean;
}

export function createCache<V>({ maxSize, sizeOf = () => 1, maxAge, skips = () => false }: CacheOptions<V>): Cache<V> {
  const entries = new Map<string, Entry<V>>();
  let total = 0;
  /** The most recently used. */
  let last: Entry<V> | undefined;
  const drop = (key: string, entry: Entry<V>): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    total -= entry.size;
  };
  const shrink = (): void => {
    for (const [oldest, one] of entries) {
      if (total <= maxSize) break;
      drop(oldest, one);
    }
  };
  const begin = (key: string, make: () => Promise<V>, at: number): Entry<V> => {
    const entry: Entry<V> = { made: make(), value: undefined, size: 0, at };
    entries.set(key, entry);
    last = entry;
    const settled = (value: V): void => {
      if (entries.get(key) !== entry) return;
      if (skips(value)) {
        drop(key, entry);
        return;
      }
      entry.value = value;
      entry.size = sizeOf(value);
      total += entry.size;
      shrink();
    };
    entry.made.then(settled, () => drop(key, entry));
    return entry;
  };
  const isFresh = ({ at }: Entry<V>, now: number): boolean => maxAge === undefined || now - at < maxAge.ms;
  const now = (): number => maxAge?.now() ?? 0;
  /** Moves it to the end: dropped last. */
  const touch = (key: string, entry: Entry<V>): void => {
    if (last === entry) return;
    entries.delete(key);
    entries.set(key, entry);
    last = entry;
  };
  return {
    async get(key, make) {
      const at = now();
      const known = entries.get(key);
      if (known === undefined || !isFresh(known, at)) {
        if (known !== undefined) drop(key, known);
        return await begin(key, make, at).made;
      }
      touch(key, known);
      return await known.made;
    },
    cached(key) {
      const known = entries.get(key);
      if (known?.value === undefined || !isFresh(known, now())) return undefined;
      touch(key, known);
      return known.value;
    },
  };
}
