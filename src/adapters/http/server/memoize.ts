/**
 * What follows from a key, made once and kept while it is asked for: at most twice as many as `most`. Of
 * those that nobody asked for while `most` others came, nothing stays. A key may be a piece of a longer text,
 * such as a URL: V8 would keep all of it for the piece, so that a copy is kept.
 */
export function remember<V>(most: number, make: (key: string) => V): (key: string) => V {
  let [recent, before] = [new Map<string, V>(), new Map<string, V>()];
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const value = before.get(key) ?? make(key);
    if (recent.size >= most) [recent, before] = [new Map(), recent];
    recent.set(Buffer.from(key).toString(), value);
    return value;
  };
}
