/**
 * A page of a list. Row ids are cursors: older than `before`, newer than `after`. At most `MAX_PER_PAGE`
 * rows.
 */
export interface Page {
  limit: number;
  before?: number;
  after?: number;
}

const MAX_PER_PAGE = 200;

export interface Listed<T> {
  rows: T[];
  /** In the direction of the cursor. */
  hasMore: boolean;
}

/**
 * Cuts a page out of rows that were read newest first from `before`, or oldest first from `after`, one more
 * than the page holds.
 */
export function cutPage<T>(rows: readonly T[], page: Page): Listed<T> {
  const limit = pageSize(page);
  const fitting = rows.slice(0, limit);
  return { rows: page.after === undefined ? fitting : fitting.toReversed(), hasMore: rows.length > limit };
}

export function pageSize({ limit }: Page): number {
  return Math.max(1, Math.min(limit, MAX_PER_PAGE));
}
