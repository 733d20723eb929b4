/**
 * Hints between processes that something changed. Losing one costs time, never work: each listener also looks
 * on a timer.
 */
export type ProcessNotification =
  /** A check is requested, or one has ended. */
  | { topic: 'checks' }
  /** A build of this pipeline may be due; `all`: of any pipeline with open requests. */
  | { topic: 'schedule'; pipeline: number | 'all' }
  | { topic: 'builds' }
  /** The status of the Pipeline object changed. */
  | { topic: 'status'; pipeline: number }
  /** This build has to stop. */
  | { topic: 'cancel'; build: number }
  /** A build has new events or logs. */
  | { topic: 'progress'; build: number }
  /** A shell in this build was opened, closed, or got input. */
  | { topic: 'debug-input'; build: number }
  /** A shell in this build printed something, or ended. */
  | { topic: 'debug-output'; build: number }
  /** A build took this warm Pod. */
  | { topic: 'warm'; warm: number }
  /** The members of this team changed. */
  | { topic: 'teams'; team: number };

export type Topic = ProcessNotification['topic'];

/** The connection was made, or made again. Earlier notifications are lost, so listeners read everything. */
export interface MissedNotifications {
  topic: 'missed';
}

export type ReceivedNotification<T extends Topic> =
  | Extract<ProcessNotification, { topic: T }>
  | MissedNotifications;

export interface Notifications {
  /** Sends in the background; never fails the caller. */
  notify(notification: ProcessNotification): void;
  /** Each listener receives `missed` too. Returns how to stop listening. */
  listen<T extends Topic>(
    topics: readonly T[],
    listener: (notification: ReceivedNotification<T>) => void,
  ): () => void;
}
