import type { Notifications, ReceivedNotification } from '#flows/notification-ports.ts';
import type { EventStream } from './event-stream.ts';

/** What readers of one thing share. `A`: from where a reader goes on. */
export interface Feed<A> {
  readonly empty: boolean;
  add(stream: EventStream, after: A): () => void;
  /** Something may have changed. */
  refresh(): void;
  stop(): void;
}

interface Ids {
  build?: number;
  pipeline: number;
}

interface Known<A> {
  feed: Feed<A>;
  ids: Ids;
}

/**
 * The feeds that somebody reads, by what they are of. One listener hears for all of them; what it misses is
 * looked for now and then.
 */
export class Feeds<A> {
  readonly #known = new Map<string, Known<A>>();
  readonly #listen: Notifications['listen'];
  #stopListening: (() => void) | undefined;

  constructor(listen: Notifications['listen']) {
    this.#listen = listen;
  }

  /** The feed of that key, made when it is the first reader's. The answer ends the reading. */
  read({ key, ids, make }: { key: string; ids: Ids; make: () => Feed<A> }, stream: EventStream, after: A) {
    this.#stopListening ??= this.#listen(['progress', 'status'], (notification) => this.#heard(notification));
    const known = this.#known.get(key) ?? { feed: make(), ids };
    this.#known.set(key, known);
    const leave = known.feed.add(stream, after);
    return (): void => {
      leave();
      if (!known.feed.empty) return;
      known.feed.stop();
      if (this.#known.get(key) === known) this.#known.delete(key);
    };
  }

  refreshAll(): void {
    for (const { feed } of this.#known.values()) feed.refresh();
  }

  stop(): void {
    this.#stopListening?.();
    for (const { feed } of this.#known.values()) feed.stop();
    this.#known.clear();
  }

  #heard(notification: ReceivedNotification<'progress' | 'status'>): void {
    for (const { feed, ids } of this.#known.values()) if (concerns(notification, ids)) feed.refresh();
  }
}

function concerns(notification: ReceivedNotification<'progress' | 'status'>, ids: Ids): boolean {
  if (notification.topic === 'missed') return true;
  return notification.topic === 'progress'
    ? notification.build === ids.build
    : notification.pipeline === ids.pipeline;
}
