import { announceEvent, REFUSED } from './overhear-events.ts';

const RECONNECT_MS = 5000;

type Handlers = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

interface Following {
  /** The address now; a later connection may continue after what was received. */
  url: () => string;
  on: Handlers;
  /** Called when the server has refused a connection; another one follows. */
  refused?: () => void;
}

/**
 * Follows a stream of server-sent events until the page closes, the server says that it has ended (`end`), or
 * that the viewer may no longer read it (`closed`: the page loads again, which shows why). Browsers reconnect
 * by themselves when a connection breaks, but not when it was refused. Returns what stops it.
 */
export function followEvents({ url, on, refused }: Following): () => void {
  let source = new EventSource(url());
  let retry: number | undefined;
  const stop = (): void => {
    source.close();
    clearTimeout(retry);
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
      location.reload();
    });
    source.addEventListener('error', () => {
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
