/**
 * Caches what `make` returns by its key: at most `2 × maxEntries` values. A value that is not used while
 * `maxEntries` others come is dropped. The cache copies its keys: V8 would keep the whole of a longer text,
 * such as a URL, for a piece of it.
 */
export function memoize<V>(maxEntries: number, make: (key: string) => V): (key: string) => V {
  let [recent, older] = [new Map<string, V>(), new Map<string, V>()];
  return (key) => {
    const cached = recent.get(key);
    if (cached !== undefined) return cached;
    const value = older.get(key) ?? make(key);
    if (recent.size >= maxEntries) [recent, older] = [new Map(), recent];
    recent.set(Buffer.from(key).toString(), value);
    return value;
  };
}
