/**
 * How long a page waits after an event before it fetches itself again. Pictures and public pages are cached
 * for a second: an earlier request could get the page from before the event, and no further event would
 * correct it.
 */
export const REFRESH_MS = 1200;
