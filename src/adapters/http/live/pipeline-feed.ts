import { createHash } from 'node:crypto';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { throttled } from './throttle.ts';

const PAUSE_MS = 500;

export interface PipelineFeedParts {
  /** Reads the state that readers get; undefined if they may no longer read anything. */
  read: () => Promise<object | undefined>;
  /** Why the streams end then, and the last bytes. */
  over: { by: EndedBy; last: Buffer };
  failed: (error: unknown) => void;
}

interface Reader {
  stream: EventStream;
  /** Id of the state that the reader has. */
  has: string | undefined;
}

/**
 * Feeds all readers of a pipeline. Each event is the whole state, and its id is a digest of the content: a
 * reader who returns with the current id has missed nothing, and a slow reader gets the newest state instead
 * of all in between.
 */
export class PipelineFeed {
  readonly #parts: PipelineFeedParts;
  readonly #readers = new Set<Reader>();
  #state: { id: string; bytes: Buffer } | undefined;
  readonly #states;

  constructor(parts: PipelineFeedParts) {
    this.#parts = parts;
    this.#states = throttled(() => this.#read(), PAUSE_MS, parts.failed);
  }

  get empty(): boolean {
    return this.#readers.size === 0;
  }

  add(stream: EventStream, has: string | undefined): () => void {
    const reader = { stream, has };
    this.#readers.add(reader);
    stream.drained = () => this.#send(reader);
    this.#states.trigger();
    return () => void this.#readers.delete(reader);
  }

  refresh(): void {
    this.#states.trigger();
  }

  stop(): void {
    this.#states.stop();
  }

  async #read(): Promise<void> {
    const data = await this.#parts.read();
    if (data === undefined) {
      for (const { stream } of this.#readers) stream.end(this.#parts.over.by, this.#parts.over.last);
      return;
    }
    const id = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22);
    if (id !== this.#state?.id) this.#state = { id, bytes: encodeEvent({ name: 'pipeline', id, data }) };
    for (const reader of this.#readers) this.#send(reader);
  }

  #send(reader: Reader): void {
    const state = this.#state;
    if (state === undefined || reader.has === state.id || reader.stream.waits) return;
    reader.has = state.id;
    reader.stream.write(state.bytes);
  }
}
