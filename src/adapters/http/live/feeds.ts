import type { Notifications, ReceivedNotification } from '#flows/notification-ports.ts';
import type { EventStream } from './event-stream.ts';

/**
 * The shared source of events for all viewers of one build or pipeline. A `Cursor` says after which event a
 * viewer resumes.
 */
export interface Feed<Cursor> {
  readonly empty: boolean;
  /** Adds a viewer, and returns a function that removes it. */
  add(stream: EventStream, after: Cursor): () => void;
  /** Call it when something may have changed. */
  refresh(): void;
  stop(): void;
}

/** The row ids in the notifications that concern a feed. */
interface Ids {
  build?: number;
  pipeline: number;
}

interface OpenFeed<Cursor> {
  feed: Feed<Cursor>;
  ids: Ids;
}

/**
 * The feeds that have viewers, by key. One listener receives the notifications for all feeds. Notifications
 * can be lost, so call `refreshAll` regularly.
 */
export class Feeds<Cursor> {
  readonly #feeds = new Map<string, OpenFeed<Cursor>>();
  readonly #listen: Notifications['listen'];
  #stopListening: (() => void) | undefined;

  constructor(listen: Notifications['listen']) {
    this.#listen = listen;
  }

  /**
   * Adds a viewer to the feed of the key, which is created for the first viewer. Returns a function that
   * removes the viewer.
   */
  addViewer(
    { key, ids, makeFeed }: { key: string; ids: Ids; makeFeed: () => Feed<Cursor> },
    stream: EventStream,
    after: Cursor,
  ) {
    this.#stopListening ??= this.#listen(['progress', 'status'], (notification) =>
      this.#refreshFor(notification),
    );
    const openFeed = this.#feeds.get(key) ?? { feed: makeFeed(), ids };
    this.#feeds.set(key, openFeed);
    const removeViewer = openFeed.feed.add(stream, after);
    return (): void => {
      removeViewer();
      if (!openFeed.feed.empty) return;
      openFeed.feed.stop();
      if (this.#feeds.get(key) === openFeed) this.#feeds.delete(key);
    };
  }

  refreshAll(): void {
    for (const { feed } of this.#feeds.values()) feed.refresh();
  }

  stop(): void {
    this.#stopListening?.();
    for (const { feed } of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
  }

  #refreshFor(notification: ReceivedNotification<'progress' | 'status'>): void {
    for (const { feed, ids } of this.#feeds.values()) if (concerns(notification, ids)) feed.refresh();
  }
}

function concerns(notification: ReceivedNotification<'progress' | 'status'>, ids: Ids): boolean {
  if (notification.topic === 'missed') return true;
  return notification.topic === 'progress'
    ? notification.build === ids.build
    : notification.pipeline === ids.pipeline;
}
