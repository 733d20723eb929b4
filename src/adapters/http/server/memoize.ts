/**
 * Caches what `make` returns for a key. Holds at most `2 × maxEntries` values and drops those not used
 * lately. The cache copies its keys: a key cut out of a longer text, such as a URL, would keep the whole text
 * in memory.
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
