import type { AttemptKey, Failures } from '#domain/access/throttle.ts';

/* What is remembered of attempts to sign in. The promises of `access-ports.ts` hold. */

export interface ThrottleTransaction {
  /** In the order of the keys. */
  failures(): Promise<(Failures | undefined)[]>;
  /** In the order of the keys, and forgets what is too old to count. */
  record(failures: readonly Failures[]): Promise<void>;
}

export interface ThrottleStore {
  /** Attempts with one of the keys take turns. `work` acts only through its transaction. */
  withFailures<T>(
    keys: readonly AttemptKey[],
    at: Date,
    work: (tx: ThrottleTransaction) => Promise<T>,
  ): Promise<T>;
  /**
   * The attempt succeeded: what failed before for the account is forgotten, for the address only this
   * attempt.
   */
  forgive(keys: readonly AttemptKey[]): Promise<void>;
}
