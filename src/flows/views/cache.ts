/**
 * What was made is kept while there is room: those that nobody wanted for longest go first. One making for
 * all who want it meanwhile.
 */
export interface Kept<V> {
  get(key: string, make: () => Promise<V>): Promise<V>;
  /** What is there already, without waiting; undefined where there is nothing, or nothing fresh. */
  atHand(key: string): V | undefined;
}

interface Entry<V> {
  made: Promise<V>;
  value: V | undefined;
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
  /** Stands at the end. */
  let last: Entry<V> | undefined;
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
    const entry: Entry<V> = { made: make(), value: undefined, size: 0, at };
    entries.set(key, entry);
    last = entry;
    const settled = (value: V): void => {
      if (entries.get(key) !== entry) return;
      if (forgets(value)) {
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
  const isFresh = ({ at }: Entry<V>, now: number): boolean => fresh === undefined || now - at < fresh.for;
  const now = (): number => fresh?.now() ?? 0;
  /** Wanted last, dropped last. */
  const want = (key: string, entry: Entry<V>): void => {
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
      want(key, known);
      return await known.made;
    },
    atHand(key) {
      const known = entries.get(key);
      if (known?.value === undefined || !isFresh(known, now())) return undefined;
      want(key, known);
      return known.value;
    },
  };
}
