import type { Listed } from '#flows/page.ts';
import { html, type Html } from './html.ts';

export const PER_PAGE = 50;

/** Before which row of the list a page begins, from its query. */
export function cursor(text: string | undefined): { before?: number } {
  return text !== undefined && /^\d{1,15}$/.test(text) ? { before: Number(text) } : {};
}

/** The way to the next page, if there is one. */
export function older({ rows, hasMore }: Listed<{ id: number }>, url: string, what: string): Html {
  return hasMore ? html`<p><a href="${url}?before=${rows.at(-1)?.id}">Older ${what}</a></p>` : html``;
}
