import { leavePage } from './leave-page.ts';
import { announceEvent, REFUSED } from './overhear-events.ts';
import { watchConnection } from './watch-connection.ts';

const RECONNECT_MS = 5000;

type Handlers = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

interface StreamToFollow {
  /** Returns the address for a new connection. It may continue after the last event that was received. */
  url: () => string;
  on: Handlers;
  /** Called when the server has refused a connection. Another connection follows. */
  refused?: () => void;
}

/**
 * Follows a stream of server-sent events until the page closes or the server sends `end` or `closed`. After
 * `closed`, the viewer may no longer read the stream, so the page loads again, which shows why. Browsers
 * reconnect by themselves when a connection breaks, but not when the server refused it. The page says so if
 * no connection comes back. Returns a function that stops following.
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
