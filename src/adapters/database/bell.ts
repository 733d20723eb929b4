import { Client } from 'pg';
import type { DatabasePool } from 'slonik';
import type { Bell, BellTopic } from '#flows/ports.ts';
import { rows, texts } from './pool.ts';

const CHANNEL = 'millrace';
const TOPICS: ReadonlySet<string> = new Set<BellTopic>(['checks', 'schedule', 'builds', 'status', 'cancel']);

export interface BellOptions {
  /** A direct connection: LISTEN does not work through a transaction pooler. */
  url: string;
  pool: DatabasePool;
  onError?: (error: Error) => void;
  /** Wait before the first attempt to connect again; doubles up to 5 s. */
  retryMilliseconds?: number;
}

export interface ClosableBell extends Bell {
  close(): Promise<void>;
}

interface Listener {
  topics: ReadonlySet<BellTopic>;
  heard: (topic: BellTopic, id: number) => void;
}

/** Hints between processes. Rings are gathered while one is being sent; a lost connection is made good by ringing id 0 for all. */
export function openBell(options: BellOptions): ClosableBell {
  const listeners = new Set<Listener>();
  const ear = createEar(options, {
    heard: (payload) => tell(listeners, payload, options.onError),
    connected: () => {
      for (const topic of ['checks', 'schedule', 'builds', 'status', 'cancel'] satisfies BellTopic[]) {
        tell(listeners, `${topic}:0`, options.onError);
      }
    },
  });
  const sender = createSender(options);
  return {
    ring: (topic, id) => sender.add(`${topic}:${id}`),
    listen(topics, heard) {
      const listener = { topics: new Set(topics), heard };
      listeners.add(listener);
      ear.open();
      return () => void listeners.delete(listener);
    },
    async close() {
      listeners.clear();
      await Promise.all([ear.close(), sender.idle()]);
    },
  };
}

function tell(listeners: Set<Listener>, payload: string, onError: BellOptions['onError']): void {
  const [topic = '', id = ''] = payload.split(':');
  if (!isTopic(topic)) return;
  for (const listener of listeners) {
    if (!listener.topics.has(topic)) continue;
    try {
      listener.heard(topic, Number(id));
    } catch (error) {
      onError?.(asError(error));
    }
  }
}

function isTopic(text: string): text is BellTopic {
  return TOPICS.has(text);
}

function createSender({ pool, onError }: BellOptions) {
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    while (waiting.size > 0) {
      const payloads = [...waiting];
      waiting.clear();
      try {
        await pool.query(
          rows()`SELECT pg_notify(${CHANNEL}, payload) FROM unnest(${texts(payloads)}) AS payload`,
        );
      } catch (error) {
        onError?.(asError(error));
      }
    }
    sending = undefined;
  };
  return {
    add(payload: string): void {
      waiting.add(payload);
      sending ??= Promise.resolve().then(send);
    },
    idle: async (): Promise<void> => await sending,
  };
}

function createEar(options: BellOptions, on: { heard: (payload: string) => void; connected: () => void }) {
  const shortest = options.retryMilliseconds ?? 100;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let state: 'new' | 'open' | 'closed' = 'new';
  let wait = shortest;
  const again = (): void => {
    client = undefined;
    if (state !== 'open') return;
    timer = setTimeout(() => void connect(), wait);
    wait = Math.min(wait * 2, 5000);
  };
  const connect = async (): Promise<void> => {
    const fresh = new Client({ connectionString: options.url, keepAlive: true });
    client = fresh;
    const lost = once(again);
    fresh.on('error', (error) => {
      options.onError?.(error);
      lost();
    });
    fresh.on('end', lost);
    fresh.on('notification', ({ payload }) => on.heard(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${CHANNEL}`);
      wait = shortest;
      on.connected();
    } catch (error) {
      options.onError?.(asError(error));
      await fresh.end().catch(() => undefined);
      lost();
    }
  };
  return {
    open(): void {
      if (state !== 'new') return;
      state = 'open';
      void connect();
    },
    async close(): Promise<void> {
      state = 'closed';
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
