import type { ClientResponse } from './api.ts';

/** The server's largest page. */
const PAGE = 100;

interface Wanted {
  limit: number;
  /** Parameters besides those of the pages; a list repeats its parameter. */
  query?: Readonly<Record<string, string | readonly string[]>>;
}

/** Reads the newest rows of a list that the server sends in pages. `more`: the list has older rows. */
export async function readPages<T extends { id: number }>(
  ask: (query: string) => Promise<Pick<ClientResponse<T[]>, 'data' | 'hasMore'>>,
  { limit, query = {} }: Wanted,
): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  for (let more = true; more;) {
    const asked = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) asked.append(name, value);
    asked.set('limit', String(Math.min(PAGE, limit - rows.length)));
    if (rows.length > 0) asked.set('before', String(rows.at(-1)?.id));
    const page = await ask(asked.toString());
    rows.push(...page.data);
    more = page.hasMore && page.data.length > 0;
    if (rows.length >= limit) return { rows, more };
  }
  return { rows, more: false };
}
