import type { Counts } from './counts.ts';
import { withBufferedOutput, stop } from './programs.ts';

/** A gate that may start before its turn. */
export interface EarlyGate {
  /** Waits for its end and shows its output. */
  finish: () => Promise<Counts>;
  /** How long it ran, in milliseconds. */
  took: () => number;
}

/**
 * Runs gates one after the other beside those that the caller runs. Their output is buffered until the caller
 * wants the result, so that outputs do not mix.
 */
export function startBeside(
  names: readonly string[],
  run: (name: string) => Promise<Counts>,
  show: (output: Buffer) => void = (output) => void process.stdout.write(output),
): Map<string, EarlyGate> {
  let before: Promise<unknown> = Promise.resolve();
  return new Map(
    names.map((name) => {
      const output: Buffer[] = [];
      let took = 0;
      const counts = before.then(async () => {
        if (stop.signal.aborted) throw new Error('not run, because the run was stopped');
        const started = Date.now();
        try {
          return await withBufferedOutput(output, () => run(name));
        } finally {
          took = Date.now() - started;
        }
      });
      // The caller gets a failure from `finish`; the next gate runs anyway.
      before = counts.catch(() => undefined);
      const finish = async (): Promise<Counts> => {
        try {
          return await counts;
        } finally {
          show(Buffer.concat(output));
        }
      };
      return [name, { finish, took: () => took }];
    }),
  );
}
