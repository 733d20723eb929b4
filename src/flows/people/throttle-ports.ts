import type { AttemptKey, FailedAttempts } from '#domain/access/throttle.ts';

/* What the flow that counts sign-in attempts needs from outside. */

export interface ThrottleTransaction {
  /** In the order of the keys. */
  failures(): Promise<(FailedAttempts | undefined)[]>;
  /** In the order of the keys. Also deletes some records that are too old to count. */
  record(failures: readonly FailedAttempts[]): Promise<void>;
}

export interface ThrottleStore {
  /** Serialises attempts that share a key. `work` reads and writes only through `tx`. */
  withFailures<T>(
    keys: readonly AttemptKey[],
    at: Date,
    work: (tx: ThrottleTransaction) => Promise<T>,
  ): Promise<T>;
  /**
   * Call this when the attempt has succeeded. Deletes all failures of the account, and only this attempt of
   * the address.
   */
  forgive(keys: readonly AttemptKey[]): Promise<void>;
}
