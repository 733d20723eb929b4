/** How many letters must change to make `b` of `a` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The one of `known` that `name` was probably meant to be. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const allowed = name.length <= 2 ? 1 : Math.min(3, Math.ceil(name.length / 3));
  let best: string | undefined;
  let least = allowed + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const changes = distance(name.toLowerCase(), candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best;
}

/** `; did you mean "…"?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const candidate = closest(name, known);
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`;
}
