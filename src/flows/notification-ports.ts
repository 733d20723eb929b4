/**
 * Hints between processes that something changed. Losing one costs time, never work: each listener also reads
 * the database on a timer.
 */
export type ProcessNotification =
  /** A check is requested, or a check run has ended. */
  | { topic: 'checks' }
  /** A build of this pipeline may be due; `all`: of any pipeline with open requests. */
  | { topic: 'schedule'; pipeline: number | 'all' }
  /** A build may get its Pod: the build was created, or waits for another attempt. */
  | { topic: 'builds' }
  /** Something that the status or the pages of this pipeline show has changed. */
  | { topic: 'status'; pipeline: number }
  /** This build has to stop. */
  | { topic: 'cancel'; build: number }
  /** This build has new events, logs or start times. */
  | { topic: 'progress'; build: number }
  /** A shell in this build was opened, closed, or got input. */
  | { topic: 'debug-input'; build: number }
  /** A shell in this build printed something, or ended. */
  | { topic: 'debug-output'; build: number }
  /** A build took this warm Pod. */
  | { topic: 'warm'; warm: number }
  /** The members or groups of this team, or their roles, may have changed. */
  | { topic: 'teams'; team: number };

export type Topic = ProcessNotification['topic'];

/**
 * The connection to the database was opened, for the first time or again. Earlier notifications are lost, so
 * listeners must look at everything.
 */
export interface MissedNotifications {
  topic: 'missed';
}

export type ReceivedNotification<T extends Topic> =
  | Extract<ProcessNotification, { topic: T }>
  | MissedNotifications;

export interface Notifications {
  /** Sends in the background; never fails the caller. */
  notify(notification: ProcessNotification): void;
  /** Each listener receives `missed` too. Returns a function that ends the listening. */
  listen<T extends Topic>(
    topics: readonly T[],
    listener: (notification: ReceivedNotification<T>) => void,
  ): () => void;
}
