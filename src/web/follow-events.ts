import { announceEvent, REFUSED } from './announced-events.ts';
import { leavePage } from './leave-page.ts';
import { watchConnection } from './watch-connection.ts';

const RECONNECT_MS = 5000;

type Handlers = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

interface StreamToFollow {
  /**
   * Returns the address for a new connection. The address may ask for the events after the last one that was
   * received.
   */
  url: () => string;
  on: Handlers;
  /** Called when the server has refused a connection, which is tried again later. */
  refused?: () => void;
}

/**
 * Follows a stream of server-sent events until the page closes or the server sends `end` or `closed`.
 * `closed` means that the viewer may no longer read the stream. `leavePage` then reloads the page, unless the
 * viewer has typed something that was not sent. Browsers reconnect by themselves after a connection breaks,
 * but not after the server refused one: then this function reconnects. If no connection succeeds in time, it
 * shows a notice. Returns a function that stops following.
 */
export function followEvents({ url, on, refused }: StreamToFollow): () => void {
  let source = new EventSource(url());
  let retry: number | undefined;
  const connection = watchConnection();
  const stop = (): void => {
    source.close();
    clearTimeout(retry);
    connection.back();
  };
  const listen = (): void => {
    for (const [name, handle] of Object.entries(on)) {
      source.addEventListener(name, (event) => {
        handle(event);
        announceEvent(name, event.data);
      });
    }
    source.addEventListener('end', stop);
    source.addEventListener('closed', () => {
      stop();
      leavePage();
    });
    source.addEventListener('open', connection.back);
    source.addEventListener('error', () => {
      connection.lost();
      if (source.readyState !== EventSource.CLOSED) return;
      refused?.();
      announceEvent(REFUSED, '');
      retry = setTimeout(() => {
        source = new EventSource(url());
        listen();
      }, RECONNECT_MS);
    });
  };
  listen();
  return stop;
}
