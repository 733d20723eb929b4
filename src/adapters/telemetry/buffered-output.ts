import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';
import { isError } from './is-error.ts';

export interface BufferedOutput {
  destination: DestinationStream;
  /** Adds a line to the buffer, which is written before the next turn of the event loop. */
  add(line: string): void;
  /** Empties the buffer and returns its text: write it before anything else, so that lines stay in order. */
  takeBuffered(): string;
}

/**
 * Writes the lines of one turn of the event loop together: one write costs as much as a small response. A
 * given destination gets each line at once.
 */
export function bufferOutput(given?: DestinationStream): BufferedOutput {
  if (given !== undefined)
    return { destination: given, add: (line) => given.write(line), takeBuffered: () => '' };
  const destination = pino.destination(process.stdout.fd);
  let buffer = '';
  const takeBuffered = (): string => {
    const text = buffer;
    buffer = '';
    return text;
  };
  const flush = (): void => {
    if (buffer !== '') destination.write(takeBuffered());
  };
  let flushesAtExit = false;
  return {
    destination,
    add(line) {
      if (buffer === '') setImmediate(flush);
      buffer += line;
      if (flushesAtExit) return;
      flushesAtExit = true;
      // Pino's exit handler has flushed the destination before this one runs, and does not do it again.
      process.once('exit', () => writeAtExit(takeBuffered()));
    },
    takeBuffered,
  };
}

/** How long to wait for a reader of standard output that reads nothing. */
const MAX_STALL_MS = 5000;
const PAUSE_MS = 10;

/** Writes synchronously. A full pipe takes the rest once its reader has read some. */
function writeAtExit(text: string): void {
  let rest: Buffer = Buffer.from(text);
  for (let stalledMs = 0; rest.length > 0 && stalledMs < MAX_STALL_MS;) {
    const written = writeSome(rest);
    if (written === 'closed') return;
    rest = rest.subarray(written);
    stalledMs = written > 0 ? 0 : stalledMs + PAUSE_MS;
    if (written === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** Returns the number of bytes written, or `closed` if nobody reads any more. */
function writeSome(bytes: Buffer): number | 'closed' {
  try {
    return writeSync(process.stdout.fd, bytes);
  } catch (error) {
    return isError(error) && 'code' in error && error.code === 'EAGAIN' ? 0 : 'closed';
  }
}
