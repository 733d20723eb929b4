import type { ClientResponse } from './api.ts';

/** The server sends at most this many rows in one page. */
const MAX_PAGE_ROWS = 100;

interface PageOptions {
  limit: number;
  /** Parameters besides those of the paging. A list of values repeats its parameter. */
  query?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Reads the newest rows of a list that the server sends in pages. `more` says whether the list has older
 * rows.
 */
export async function readPages<T extends { id: number }>(
  ask: (query: string) => Promise<Pick<ClientResponse<T[]>, 'data' | 'hasMore'>>,
  { limit, query = {} }: PageOptions,
): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  let more = true;
  while (more && rows.length < limit) {
    const parameters = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) parameters.append(name, value);
    parameters.set('limit', String(Math.min(MAX_PAGE_ROWS, limit - rows.length)));
    if (rows.length > 0) parameters.set('before', String(rows.at(-1)?.id));
    const page = await ask(parameters.toString());
    rows.push(...page.data);
    more = page.hasMore && page.data.length > 0;
  }
  return { rows, more };
}
