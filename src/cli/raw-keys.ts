import type { ReadStream, WriteStream } from 'node:tty';
import type { Keys } from './terminal.ts';

/**
 * Signals that end the process, and their numbers. SIGINT is not among them: while keys are taken, Ctrl-C is
 * a key like any other.
 */
const SIGNALS = { SIGHUP: 1, SIGTERM: 15 } as const;

/** The keys of the process's terminal. Restores it if the process exits or gets one of `SIGNALS`. */
export function keysOf(input: ReadStream, output: WriteStream): Keys {
  return {
    size: () => ({ columns: output.columns, rows: output.rows }),
    take({ keys, resized }) {
      const restore = (): void => {
        input.setRawMode(false);
      };
      const removeHandlers = Object.entries(SIGNALS).map(([name, number]) => {
        const end = (): never => process.exit(128 + number);
        process.once(name, end);
        return () => process.off(name, end);
      });
      process.once('exit', restore);
      input.setRawMode(true);
      input.on('data', keys).resume();
      output.on('resize', resized);
      return () => {
        output.off('resize', resized);
        input.off('data', keys).pause();
        process.off('exit', restore);
        for (const removeHandler of removeHandlers) removeHandler();
        restore();
      };
    },
  };
}
