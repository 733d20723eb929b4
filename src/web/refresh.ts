/**
 * How long a page waits after an event before it fetches itself again. The server caches pictures and public
 * pages for a second. An earlier request could return the page as it was before the event, and then no
 * further event would correct the page.
 */
export const REFRESH_MS = 1200;
