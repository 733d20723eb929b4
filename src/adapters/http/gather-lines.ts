import { writeSync } from 'node:fs';
import { pino } from 'pino';
import type { DestinationStream } from 'pino';

export interface GatheredLines {
  /** Where everything goes. */
  destination: DestinationStream;
  /** Is written, with those that come beside it, before the process turns to anything else. */
  add(line: string): void;
  /** What was added and is not written yet, for whoever writes something else now: the order stays. */
  taken(): string;
}

/**
 * A line costs the system as much as a small answer, so that lines of one turn of the event loop are written together. A destination that is handed in
 * gets each at once.
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

function writeAtEnd(text: string): void {
  try {
    writeSync(process.stdout.fd, text);
  } catch {
    // Nobody reads any more.
  }
}
