import type { Listed } from '#flows/page.ts';
import { html, type Html } from './html.ts';

/** How many rows a page of a list shows. */
export const PER_PAGE = 50;

/**
 * Parses the query parameter `before`: the page shows only rows with a lower id. Returns `{}` for the first
 * page.
 */
export function cursor(text: string | undefined): { before?: number } {
  return text !== undefined && /^\d{1,15}$/.test(text) ? { before: Number(text) } : {};
}

/** A link to the next page, if there is one. `plural`: what the rows are. */
export function older({ rows, hasMore }: Listed<{ id: number }>, url: string, plural: string): Html {
  return hasMore ? html`<p><a href="${url}?before=${rows.at(-1)?.id}">Older ${plural}</a></p>` : html``;
}
