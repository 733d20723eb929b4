/** How many letters must be changed, added, dropped or swapped with their neighbour to make `b` of `a`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(row, j - 1) + Number(!same), at(row, j) + 1, at(next, j - 1) + 1];
      next.push(Math.min(...ways, ...(swap ? [at(before, j - 2) + 1] : [])));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;

/** The one of `known` that `name` was probably meant to be. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const allowed = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
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
