import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';
import { isError } from './is-error.ts';

export interface GatheredLines {
  /** Where everything goes. */
  destination: DestinationStream;
  /** Is written, with those that come beside it, before the process turns to anything else. */
  add(line: string): void;
  /** What was added and is not written yet, for whoever writes something else now: the order stays. */
  taken(): string;
}

/**
 * A line costs the system as much as a small answer, so that lines of one turn of the event loop are written
 * together. A destination that is handed in gets each at once.
 */
export function gatherLines(given?: DestinationStream): GatheredLines {
  if (given !== undefined) return { destination: given, add: (line) => given.write(line), taken: () => '' };
  const destination = pino.destination(process.stdout.fd);
  let waiting = '';
  const taken = (): string => {
    const text = waiting;
    waiting = '';
    return text;
  };
  const write = (): void => {
    if (waiting !== '') destination.write(taken());
  };
  let begun = false;
  return {
    destination,
    add(line) {
      if (waiting === '') setImmediate(write);
      waiting += line;
      if (begun) return;
      begun = true;
      // What pino still has it writes before.
      process.once('exit', () => writeAtEnd(taken()));
    },
    taken,
  };
}

/** A reader that takes nothing for so long is not waited for. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 10;

/** A pipe takes as much as there is room in it, and the rest once its reader has made some. */
function writeAtEnd(text: string): void {
  let rest: Buffer = Buffer.from(text);
  for (let waited = 0; rest.length > 0 && waited < PATIENCE_MS;) {
    const taken = takenOf(rest);
    if (taken === 'all') return;
    rest = rest.subarray(taken);
    waited = taken > 0 ? 0 : waited + PAUSE_MS;
    if (taken === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** `all`: nobody reads any more. */
function takenOf(bytes: Buffer): number | 'all' {
  try {
    return writeSync(process.stdout.fd, bytes);
  } catch (error) {
    return isError(error) && 'code' in error && error.code === 'EAGAIN' ? 0 : 'all';
  }
}
