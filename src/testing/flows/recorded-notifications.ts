import type {
  MissedNotifications,
  Notifications,
  ProcessNotification,
  ReceivedNotification,
  Topic,
} from '#flows/notification-ports.ts';

/** Records the text of each sent notification. The test decides what listeners receive. */
export class RecordedNotifications implements Notifications {
  readonly sent: string[] = [];
  readonly #listeners = new Set<(notification: ProcessNotification) => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  notify(notification: ProcessNotification): void {
    this.sent.push(describeNotification(notification));
  }

  listen<T extends Topic>(
    topics: readonly T[],
    onNotification: (notification: ReceivedNotification<T>) => void,
  ): () => void {
    const listener = (notification: ProcessNotification): void => {
      if (concerns(topics, notification)) onNotification(notification);
    };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Delivers a notification as if another process had sent it. */
  deliver(notification: ProcessNotification): void {
    for (const listener of this.#listeners) listener(notification);
  }
}

function concerns<T extends Topic>(
  topics: readonly T[],
  notification: ProcessNotification | MissedNotifications,
): notification is ReceivedNotification<T> {
  return topics.some((topic) => topic === notification.topic);
}

/** The topic and its subject: `schedule 7`, `builds`. */
export function describeNotification({ topic, ...about }: ProcessNotification | MissedNotifications): string {
  return [topic, ...Object.values(about)].join(' ');
}
