import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';
import { isError } from './is-error.ts';

export interface BufferedOutput {
  destination: DestinationStream;
  /** Adds a line to the buffer, which is written at the end of this turn of the event loop. */
  add(line: string): void;
  /**
   * Empties the buffer and returns its text. The caller must write this text before its own, so that lines
   * stay in order.
   */
  takeBuffered(): string;
}

/**
 * Writes the lines of one turn of the event loop together to standard output, because a write costs as much
 * as a small response. A custom destination gets each line at once.
 */
export function bufferOutput(customDestination?: DestinationStream): BufferedOutput {
  if (customDestination !== undefined)
    return {
      destination: customDestination,
      add: (line) => customDestination.write(line),
      takeBuffered: () => '',
    };
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
      // Pino's exit handler flushes the destination before this handler runs, and does not flush it again.
      process.once('exit', () => writeAtExit(takeBuffered()));
    },
    takeBuffered,
  };
}

/** How long the exit waits while the reader of standard output reads nothing. */
const MAX_STALL_MS = 5000;
const PAUSE_MS = 10;

/** Writes synchronously. If the pipe is full, waits until its reader has read some of it. */
function writeAtExit(text: string): void {
  let remaining: Buffer = Buffer.from(text);
  for (let stalledMs = 0; remaining.length > 0 && stalledMs < MAX_STALL_MS;) {
    const written = writeSome(remaining);
    if (written === 'closed') return;
    remaining = remaining.subarray(written);
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
