import type { DatabasePool } from 'slonik';
import type { Bell, BellTopic } from '#flows/ports.ts';
import { createEar, type EarOptions } from './listen.ts';
import { rows, texts } from './pool.ts';

const CHANNEL = 'millrace';
const TOPICS = [
  'checks',
  'schedule',
  'builds',
  'status',
  'cancel',
  'progress',
  'teams',
] as const satisfies BellTopic[];

export interface BellOptions extends EarOptions {
  pool: DatabasePool;
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
    channel: CHANNEL,
    heard: (payload) => tell(listeners, payload, options.onError),
    connected: () => {
      for (const topic of TOPICS) tell(listeners, `${topic}:0`, options.onError);
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
  return TOPICS.some((topic) => topic === text);
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

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
