/*
 * The scripts of a page are separate files, and browsers open few connections to a server: one script follows
 * the stream of the page, and the other ones overhear its events.
 */
const REPEAT = 'millrace:repeat';

/** Announced when the server has refused the connection, such as after the session has ended. */
export const REFUSED = 'refused';

const last = new Map<string, string>();

/** Passes an event on to the other scripts of the page. */
export function announceEvent(name: string, data: string): void {
  if (last.size === 0) document.addEventListener(REPEAT, repeat);
  last.set(name, data);
  dispatch(name, data);
}

function repeat(): void {
  for (const [name, data] of last) dispatch(name, data);
}

function dispatch(name: string, data: string): void {
  document.dispatchEvent(new MessageEvent(typeOf(name), { data }));
}

const typeOf = (name: string): string => `millrace:${name}`;

/** Hears the newest event of this name, if one has come already, and all that follow. */
export function overhearEvents(name: string, hear: (data: string) => void): () => void {
  const listen = (event: Event): void => {
    if (event instanceof MessageEvent && typeof event.data === 'string') hear(event.data);
  };
  document.addEventListener(typeOf(name), listen);
  document.dispatchEvent(new Event(REPEAT));
  return () => document.removeEventListener(typeOf(name), listen);
}
