/** What went, by kind. */
export interface Removed {
  builds: number;
  /** Builds that stay, whose logs went. */
  logs: number;
  versions: number;
  /** Ends of check runs and of requests that were refused, and definitions that nothing names any more. */
  records: number;
}

export interface RetentionStore {
  /**
   * Looks at some of the oldest history whose turn it is, and removes what the team's retention does not keep. One bounded transaction;
   * whoever is killed in it, or comes second, finds the same or nothing to do. Undefined: it is nobody's turn.
   */
  retainNext(at: Date): Promise<Removed | undefined>;
}

interface Ports {
  retention: RetentionStore;
  now: () => Date;
  /** Milliseconds of a clock that only goes on. */
  elapsed: () => number;
}

/** So that nothing else of the operator waits for it: the rest has its turn a moment later. */
const LONGEST_MS = 2000;

export async function retainHistory({
  retention,
  now,
  elapsed,
}: Ports): Promise<{ removed: Removed; more: boolean }> {
  const removed: Removed = { builds: 0, logs: 0, versions: 0, records: 0 };
  const begun = elapsed();
  while (elapsed() - begun < LONGEST_MS) {
    const some = await retention.retainNext(now());
    if (some === undefined) return { removed, more: false };
    removed.builds += some.builds;
    removed.logs += some.logs;
    removed.versions += some.versions;
    removed.records += some.records;
  }
  return { removed, more: true };
}
