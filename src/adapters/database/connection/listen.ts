import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { defined } from '#defined';
import { BackOff } from '#domain/back-off.ts';
import { parseDatabaseUrl } from './url.ts';

export interface ListenOptions {
  /** A direct connection: LISTEN does not work through a transaction pooler. */
  url: string;
  /** Certificate authority (PEM). Replaces the `sslrootcert` of the URL. */
  certificateAuthority?: string | undefined;
  onError?: (error: Error) => void;
  /** Wait before the first attempt to reconnect; 100 ms by default. It doubles up to 5 s. */
  retryMilliseconds?: number;
  /**
   * Interval of heartbeats; 10 s by default. If the server misses one, the connection is closed and opened
   * again.
   */
  heartbeatMilliseconds?: number;
}

export interface NotificationListener {
  /** Starts to listen. A second call does nothing. */
  open(): void;
  close(): Promise<void>;
}

interface Subscription {
  channel: string;
  onPayload: (payload: string) => void;
  /** Called for each new connection. Notifications that were sent while there was no connection are lost. */
  onConnect: () => void;
}

/** Creates a connection that only listens, and opens it again whenever it is lost. */
export function createListener(options: ListenOptions, subscription: Subscription): NotificationListener {
  const closing = new AbortController();
  let listening: Promise<void> | undefined;
  return {
    open: () => void (listening ??= listen(options, subscription, closing.signal)),
    async close() {
      closing.abort();
      await listening;
    },
  };
}

async function listen(
  options: ListenOptions,
  subscription: Subscription,
  closing: AbortSignal,
): Promise<void> {
  const backOff = new BackOff({ firstMs: options.retryMilliseconds ?? 100, longestMs: 5000 }, Math.random);
  while (!closing.aborted) {
    const wasConnected = await listenUntilLost(options, subscription, closing);
    if (wasConnected) backOff.reset();
    await sleep(backOff.next(), undefined, { signal: closing }).catch(() => undefined);
  }
}

/** Reads the file of `sslrootcert` again for each connection, because it may have changed. */
function newClient({ url, certificateAuthority }: ListenOptions, heartbeatMs: number): Client {
  const parsed = parseDatabaseUrl(url, certificateAuthority);
  return new Client({
    connectionString: parsed.url,
    ...defined({ ssl: parsed.ssl }),
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: heartbeatMs,
  });
}

/**
 * Listens until the connection is lost or `closing` aborts. Returns false if it could not start to listen.
 */
async function listenUntilLost(
  options: ListenOptions,
  subscription: Subscription,
  closing: AbortSignal,
): Promise<boolean> {
  const lost = Promise.withResolvers<void>();
  const fail = (error: unknown): void => {
    if (!closing.aborted) options.onError?.(Error.isError(error) ? error : new Error(String(error)));
    lost.resolve();
  };
  const heartbeatMs = options.heartbeatMilliseconds ?? 10_000;
  let client: Client;
  try {
    client = newClient(options, heartbeatMs);
  } catch (error) {
    fail(error);
    return false;
  }
  client.on('error', fail);
  client.on('end', () => lost.resolve());
  client.on('notification', ({ payload }) => subscription.onPayload(payload ?? ''));
  const onClosing = (): void => lost.resolve();
  closing.addEventListener('abort', onClosing, { once: true });
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(`LISTEN ${subscription.channel}`);
    heartbeat = startHeartbeat(client, heartbeatMs, fail);
    subscription.onConnect();
    await lost.promise;
    return true;
  } catch (error) {
    fail(error);
    return false;
  } finally {
    clearInterval(heartbeat);
    closing.removeEventListener('abort', onClosing);
    // Without the race, `end` would wait forever for a server that is gone.
    await Promise.race([client.end().catch(() => undefined), sleep(1000, undefined, { ref: false })]);
  }
}

function startHeartbeat(client: Client, heartbeatMs: number, fail: (error: unknown) => void): NodeJS.Timeout {
  let answered = true;
  return setInterval(() => {
    if (!answered) fail(new Error('The connection that listens for notifications does not answer.'));
    answered = false;
    client.query('SELECT 1').then(() => (answered = true), fail);
  }, heartbeatMs);
}
