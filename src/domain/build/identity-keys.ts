/*
 * When keys sign identity tokens, and how long they are published. A key is published for a day before it
 * signs, so that verifiers that cache keys know it in time. If no other key can sign, it signs at once. It
 * stays published until every token that it signed has expired.
 */

/** Longest lifetime of an identity token. */
export const MAX_IDENTITY_SECONDS = 10 * 60;

const HOUR_MS = 60 * 60_000;
/** How long a key signs. */
export const KEY_SIGNS_MS = 30 * 24 * HOUR_MS;
/**
 * Time from the publication of a key to its first signature. The first key, and the successor of a lost one,
 * sign at once.
 */
export const KEY_AHEAD_MS = 24 * HOUR_MS;
/**
 * How long a key stays published after the next key began to sign: the lifetime of a token (10 minutes), and
 * 50 minutes for clocks that differ.
 */
export const KEY_OVERLAP_MS = HOUR_MS;

/** A key for identity tokens, and when it signs. */
export interface KeyTerm {
  id: string;
  /** When the key begins to sign. It signs until the next key begins. */
  signsFrom: Date;
}

/** The key that signs at this time. Undefined: no key has begun to sign. */
export function signingKey<K extends KeyTerm>(keys: readonly K[], at: Date): K | undefined {
  return inOrder(keys).findLast(({ signsFrom }) => signsFrom <= at);
}

/** The keys that verify tokens at this time. */
export function publishedKeys<K extends KeyTerm>(keys: readonly K[], at: Date): K[] {
  return inOrder(keys).filter((_, index, sorted) => !isExpired(sorted[index + 1], at));
}

export interface KeyDecision {
  /** In how many milliseconds the new key begins to sign, if a new key is due. Absent: no new key is due. */
  newKeySignsInMs?: number;
  /** Ids of the keys that nothing needs any more. */
  remove: string[];
}

/**
 * Decides which keys to add and remove at this time. `isLost`: no process can decrypt the key any more, so it
 * cannot sign. Verifiers still need it for the tokens that it signed.
 */
export function decideKeys(keys: readonly (KeyTerm & { isLost: boolean })[], at: Date): KeyDecision {
  const sorted = inOrder(keys);
  const neverSigns = sorted.filter(({ isLost, signsFrom }) => isLost && signsFrom > at);
  const usable = sorted.filter((key) => !neverSigns.includes(key));
  const expired = usable.filter((_, index) => isExpired(usable[index + 1], at));
  const remove = [...neverSigns, ...expired].map(({ id }) => id);
  const newest = usable.at(-1);
  if (newest === undefined || newest.isLost) return { newKeySignsInMs: 0, remove };
  const isDue = newest.signsFrom.getTime() + KEY_SIGNS_MS - KEY_AHEAD_MS <= at.getTime();
  return isDue ? { newKeySignsInMs: KEY_AHEAD_MS, remove } : { remove };
}

function inOrder<K extends KeyTerm>(keys: readonly K[]): K[] {
  return keys.toSorted(
    (a, b) => a.signsFrom.getTime() - b.signsFrom.getTime() || (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
}

/** Whether a key is no longer needed. `next`: the key that signs after it; undefined: there is none. */
const isExpired = (next: KeyTerm | undefined, at: Date): boolean =>
  next !== undefined && next.signsFrom.getTime() + KEY_OVERLAP_MS <= at.getTime();
