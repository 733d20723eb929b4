/**
 * Returns a function that caches what `make` returns for a key, except undefined. The cache holds at most
 * twice `maxEntries` values and drops those that were not used lately. It copies its keys, because a key cut
 * out of a longer text, such as a URL, would keep the whole text in memory.
 */
export function memoize<Value>(maxEntries: number, make: (key: string) => Value): (key: string) => Value {
  let [recent, older] = [new Map<string, Value>(), new Map<string, Value>()];
  return (key) => {
    const cached = recent.get(key);
    if (cached !== undefined) return cached;
    const value = older.get(key) ?? make(key);
    if (recent.size >= maxEntries) [recent, older] = [new Map(), recent];
    recent.set(Buffer.from(key).toString(), value);
    return value;
  };
}
