import { setTimeout as sleep } from 'node:timers/promises';

/** A report of a contestant, which it prints as a line of JSON. */
export interface ContestantReport {
  /**
   * `received`: the library delivered an event. `started`: the handler began. `ended`: it finished without an
   * error.
   */
  phase: 'received' | 'started' | 'ended';
  /** `work`: a handler of the queue, which does not know what changed. */
  change: 'added' | 'updated' | 'deleted' | 'work';
  kind: 'ConfigMap' | 'Secret';
  name: string;
  uid: string;
  /** Milliseconds since 1970. */
  at: number;
}

export const NAMESPACE = 'measure';
export const SLOW_MS = 6000;

const thrown = new Set<string>();

export function printReport(report: Omit<ContestantReport, 'at'>): void {
  process.stdout.write(`${JSON.stringify({ ...report, at: Date.now() })}\n`);
}

/**
 * The handler of every contestant. It throws the first time for a name that begins with `throws`, and takes
 * `SLOW_MS` for one that begins with `slow`.
 */
export async function handle(report: Omit<ContestantReport, 'at' | 'phase'>): Promise<void> {
  printReport({ ...report, phase: 'started' });
  if (report.name.startsWith('throws') && !thrown.has(report.name)) {
    thrown.add(report.name);
    throw new Error('the handler failed on purpose');
  }
  if (report.name.startsWith('slow')) await sleep(SLOW_MS);
  printReport({ ...report, phase: 'ended' });
}
