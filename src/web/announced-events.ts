/*
 * Browsers open few connections to a server, so only one script of a page follows the stream of events. It
 * announces each event to the other scripts, which are separate files.
 */
/** With this event, a script asks for the newest event of each name to be announced again. */
const REPEAT = 'millrace:repeat';

/** Announced when the server has refused the connection, such as after the session has ended. */
export const REFUSED = 'refused';

const newestEvents = new Map<string, string>();

/** Passes an event on to the other scripts of the page. */
export function announceEvent(name: string, data: string): void {
  if (newestEvents.size === 0) document.addEventListener(REPEAT, repeat);
  newestEvents.set(name, data);
  dispatch(name, data);
}

function repeat(): void {
  for (const [name, data] of newestEvents) dispatch(name, data);
}

function dispatch(name: string, data: string): void {
  document.dispatchEvent(new MessageEvent(typeOf(name), { data }));
}

const typeOf = (name: string): string => `millrace:${name}`;

/**
 * Calls `receive` for each announced event of this name. If one was announced before, calls it at once with
 * the newest. Returns a function that stops this.
 */
export function onAnnouncedEvent(name: string, receive: (data: string) => void): () => void {
  const listen = (event: Event): void => {
    if (event instanceof MessageEvent && typeof event.data === 'string') receive(event.data);
  };
  document.addEventListener(typeOf(name), listen);
  document.dispatchEvent(new Event(REPEAT));
  return () => document.removeEventListener(typeOf(name), listen);
}
