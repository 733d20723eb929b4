/**
 * Hints between processes that something changed. Losing one costs time, never work: whoever listens also
 * looks now and then without being asked.
 */
export type Notification =
  /** A check is wanted, or one has ended. */
  | { topic: 'checks' }
  /** A build of this pipeline may be due; `all`: look at every pipeline that asked for a decision. */
  | { topic: 'schedule'; pipeline: number | 'all' }
  /** A build may start. */
  | { topic: 'builds' }
  /** What the status of the Pipeline object shows has changed. */
  | { topic: 'status'; pipeline: number }
  /** This build has to stop. */
  | { topic: 'cancel'; build: number }
  /** A build has new events or logs, for those who follow it live. */
  | { topic: 'progress'; build: number }
  /** The members of this team changed. */
  | { topic: 'teams'; team: number };

export type Topic = Notification['topic'];

/**
 * The connection has just been made, or made again: whatever was sent before went unheard, so look at
 * everything.
 */
export interface MissedNotifications {
  topic: 'missed';
}

export type ReceivedNotification<T extends Topic> = Extract<Notification, { topic: T }> | MissedNotifications;

export interface Notifications {
  /** Sends in the background and never fails the caller. */
  notify(notification: Notification): void;
  /** Every listener hears `missed` too. Returns how to stop. */
  listen<T extends Topic>(
    topics: readonly T[],
    heard: (notification: ReceivedNotification<T>) => void,
  ): () => void;
}
