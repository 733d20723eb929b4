/** Maximum edit distance of a suggestion. */
const MAX_CHANGES = 3;
/** Width of the band around the diagonal of the distance table: `MAX_CHANGES` cells on each side of it. */
const WIDTH = 2 * MAX_CHANGES + 1;

/**
 * Limit of table rows in one search; filling them takes some hundred microseconds. A search among 1,000 names
 * of 60 letters that differ in their first letters needs 4,000.
 */
const MAX_ROWS = 5000;

interface Search {
  /** How many more table rows the search may fill. */
  rows: number;
}

/**
 * The edit distance with swaps of neighbours (Damerau-Levenshtein), or `limit` if the distance is not
 * smaller. Skips common prefixes and suffixes, and fills only the cells that can stay below the limit.
 */
function distance(a: string, b: string, limit: number, search: Search): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  return measure(a.slice(start, endA), b.slice(start, endB), limit, search);
}

/** Fills the table by rows, around its diagonal: cell `j` of row `i` is at `j - i + MAX_CHANGES`. */
function measure(a: string, b: string, limit: number, search: Search): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = FIRST_ROW;
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = [];
    for (let j = i - MAX_CHANGES; j <= i + MAX_CHANGES; j++)
      next.push(j < 0 || j > b.length ? limit : cost({ a, b, i, j, before, row, next }));
    search.rows -= 1;
    if (search.rows < 0 || Math.min(...next) >= limit) return limit;
    [before, row] = [row, next];
  }
  return at(row, b.length - a.length + MAX_CHANGES);
}

interface Cell {
  a: string;
  b: string;
  i: number;
  j: number;
  /** The row before the previous one, the previous row, and the current row so far. */
  before: readonly number[];
  row: readonly number[];
  next: readonly number[];
}

function cost({ a, b, i, j, before, row, next }: Cell): number {
  if (j === 0) return i;
  const cell = j - i + MAX_CHANGES;
  const changed = at(row, cell) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const fewest = Math.min(changed, at(row, cell + 1) + 1, at(next, cell - 1) + 1);
  const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(fewest, at(before, cell) + 1) : fewest;
}

const at = (row: readonly number[], cell: number): number => row[cell] ?? Infinity;

/** The first row of the table: the empty string becomes `b` by insertions. */
const FIRST_ROW = Array.from({ length: WIDTH }, (_, cell) =>
  cell < MAX_CHANGES ? WIDTH : cell - MAX_CHANGES,
);

/**
 * Two words that are both shorter may differ only in upper and lower case: one change is half of them or
 * more.
 */
const MIN_LENGTH = 3;

/** The name in `known` that was probably meant by `name`. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const allowed = Math.min(MAX_CHANGES, Math.max(1, Math.floor(name.length / 3)));
  const lower = name.toLowerCase();
  const search = { rows: MAX_ROWS };
  let best: string | undefined;
  let least = allowed + 1;
  for (const candidate of known) {
    const limit = Math.min(least, Math.max(name.length, candidate.length) < MIN_LENGTH ? 1 : least);
    if (Math.abs(candidate.length - name.length) >= limit) continue;
    const changes = distance(lower, candidate.toLowerCase(), limit, search);
    if (changes < limit) [best, least] = [candidate, changes];
  }
  return best;
}

/** `; did you mean "…"?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const candidate = closestName(name, known);
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`;
}
