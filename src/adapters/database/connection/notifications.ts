import type { DatabasePool } from 'slonik';
import type {
  MissedNotifications,
  Notifications,
  ProcessNotification,
  ReceivedNotification,
  Topic,
} from '#flows/notification-ports.ts';
import { createListener, type ListenOptions } from './listen.ts';
import { CHANNEL, decodeNotification, encodeNotification } from './notification-payload.ts';
import { rows, textArray } from './pool.ts';

export interface NotificationOptions extends ListenOptions {
  pool: DatabasePool;
}

export interface ClosableNotifications extends Notifications {
  close(): Promise<void>;
}

type Deliver = (notification: ProcessNotification | MissedNotifications) => void;

/**
 * Sends and receives notifications by Postgres NOTIFY. `notify` only adds to a queue. One statement sends the
 * whole queue, each notification once, while later notifications wait for the next statement.
 */
export function openNotifications(options: NotificationOptions): ClosableNotifications {
  const listeners = new Set<Deliver>();
  const deliver: Deliver = (notification) => {
    for (const listener of listeners) {
      try {
        listener(notification);
      } catch (error) {
        options.onError?.(asError(error));
      }
    }
  };
  const connection = createListener(options, {
    channel: CHANNEL,
    onPayload: (payload) => {
      const notification = decodeNotification(payload);
      if (notification !== undefined) deliver(notification);
    },
    onConnect: () => deliver({ topic: 'missed' }),
  });
  const sender = createSender(options);
  return {
    notify: (notification) => sender.add(encodeNotification(notification)),
    listen(topics, onNotification) {
      const listener: Deliver = (notification) => {
        if (concerns(topics, notification)) onNotification(notification);
      };
      listeners.add(listener);
      connection.open();
      return () => void listeners.delete(listener);
    },
    async close() {
      listeners.clear();
      await Promise.all([connection.close(), sender.idle()]);
    },
  };
}

function concerns<T extends Topic>(
  topics: readonly T[],
  notification: ProcessNotification | MissedNotifications,
): notification is ReceivedNotification<T> {
  return notification.topic === 'missed' || topics.some((topic) => topic === notification.topic);
}

function createSender({ pool, onError }: NotificationOptions) {
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    while (waiting.size > 0) {
      const payloads = [...waiting];
      waiting.clear();
      try {
        await pool.query(
          rows()`SELECT pg_notify(${CHANNEL}, payload) FROM unnest(${textArray(payloads)}) AS payload`,
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

const asError = (error: unknown): Error => (Error.isError(error) ? error : new Error(String(error)));
