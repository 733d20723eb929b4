import type { DebugOutput } from '#flows/builds/use-debug-session.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { pacedReads } from './pace-reads.ts';

/** The shortest time between two reads of the output. */
const READ_PAUSE_MS = 10;

interface Parts {
  stream: EventStream;
  /** Returns undefined if the session no longer exists. */
  read: (after: number) => Promise<DebugOutput | undefined>;
  /** Number of the last output that the person has. */
  after: number;
  /** Row id of the build that the shell belongs to. */
  build: number;
  failed: (error: unknown) => void;
}

/** Sends what a shell prints to the person who opened it. */
export class DebugFeed {
  readonly build: number;
  readonly #parts: Parts;
  readonly #reading;
  #after: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.build = parts.build;
    this.#after = parts.after;
    this.#reading = pacedReads(() => this.#readOnce(), READ_PAUSE_MS, parts.failed);
    parts.stream.drained = () => this.refresh();
  }

  refresh(): void {
    this.#reading.trigger();
  }

  stop(): void {
    this.#reading.stop();
  }

  async #readOnce(): Promise<void> {
    const { stream, read } = this.#parts;
    if (!stream.open || stream.buffered) return;
    const result = await read(this.#after);
    if (result === undefined) {
      stream.end('over', SESSION_GONE);
      return;
    }
    const { output, end } = result;
    if (end !== undefined) stream.end('over', encodeEvent({ name: 'end', data: encodeEnd(end) }));
    const last = output.at(-1);
    if (last === undefined) return;
    this.#after = last.sequence;
    const events = output.map(({ sequence, message }) =>
      encodeEvent({ name: 'output', id: sequence, data: { data: message } }),
    );
    stream.write(Buffer.concat(events));
    this.refresh();
  }
}

const encodeEnd = ({ reason, message, exitCode }: NonNullable<DebugOutput['end']>) => ({
  reason,
  message,
  ...(exitCode !== undefined && { exit_code: exitCode }),
});

const SESSION_GONE = encodeEvent({
  name: 'end',
  data: { reason: 'closed', message: 'The session no longer exists.' },
});
