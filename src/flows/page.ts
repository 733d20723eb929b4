/**
 * Which rows of a list a page shows: those with ids below `before` or above `after`, at most `limit`, and
 * never more than `MAX_PER_PAGE`.
 */
export interface Page {
  limit: number;
  before?: number;
  after?: number;
}

const MAX_PER_PAGE = 200;

export interface Listed<T> {
  rows: T[];
  /** The list has more rows in the direction of the cursor. */
  hasMore: boolean;
}

/**
 * Returns a page, newest first. `rows` has the order of the query: oldest first with `after`, otherwise
 * newest first. The query reads one row more than the page holds, to tell whether there are more.
 */
export function cutPage<T>(rows: readonly T[], page: Page): Listed<T> {
  const limit = pageSize(page);
  const fitting = rows.slice(0, limit);
  return { rows: page.after === undefined ? fitting : fitting.toReversed(), hasMore: rows.length > limit };
}

export function pageSize({ limit }: Page): number {
  return Math.max(1, Math.min(limit, MAX_PER_PAGE));
}
