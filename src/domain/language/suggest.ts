/** Maximum edit distance of a suggestion. */
const MAX_CHANGES = 3;
/**
 * The number of cells that are computed in each row of the distance table: the diagonal, and `MAX_CHANGES`
 * cells on each side.
 */
const WIDTH = 2 * MAX_CHANGES + 1;

/**
 * Maximum number of rows that one search may fill. Filling them takes a few hundred microseconds. A search
 * among 1,000 names of 60 letters that differ in their first letters needs 4,000 rows.
 */
const MAX_ROWS = 5000;

interface Search {
  /** How many more table rows the search may fill. */
  rows: number;
}

/**
 * The edit distance of two texts, in which swapping two neighbouring characters is one change
 * (Damerau-Levenshtein). Returns `limit` or more if the distance is not smaller, or if the search has no rows
 * left. Skips the common prefix and suffix.
 */
function distance(a: string, b: string, limit: number, search: Search): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  return bandedDistance(a.slice(start, endA), b.slice(start, endB), limit, search);
}

/**
 * The edit distance of two texts without a common prefix and suffix. Fills the table by rows, only around its
 * diagonal: the cell of row `i` and column `j` is at the index `j - i + MAX_CHANGES` of the row.
 */
function bandedDistance(a: string, b: string, limit: number, search: Search): number {
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

/**
 * A cell of the table, and what its value depends on: the texts, the row `i`, the column `j`, and other rows.
 */
interface Cell {
  a: string;
  b: string;
  i: number;
  j: number;
  /** `before`: the row before the previous one. `row`: the previous row. `next`: the current row so far. */
  before: readonly number[];
  row: readonly number[];
  next: readonly number[];
}

/** The edit distance of the first `i` characters of `a` and the first `j` of `b`. */
function cost({ a, b, i, j, before, row, next }: Cell): number {
  if (j === 0) return i;
  const cell = j - i + MAX_CHANGES;
  const changed = at(row, cell) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const fewest = Math.min(changed, at(row, cell + 1) + 1, at(next, cell - 1) + 1);
  const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(fewest, at(before, cell) + 1) : fewest;
}

const at = (row: readonly number[], cell: number): number => row[cell] ?? Infinity;

/**
 * The first row of the table: as many insertions as characters turn the empty string into the start of `b`.
 */
const FIRST_ROW = Array.from({ length: WIDTH }, (_, cell) =>
  cell < MAX_CHANGES ? WIDTH : cell - MAX_CHANGES,
);

/**
 * If both words are shorter than this, they may differ only in upper and lower case. A change of one letter
 * would be half of such a word or more.
 */
const MIN_LENGTH = 3;

/**
 * The name in `known` that `name` probably means: the one with the fewest changes. Undefined: none is close
 * enough.
 */
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

/** The end of a message, `; did you mean "…"?`. Empty: no known name is close enough. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const candidate = closestName(name, known);
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`;
}
