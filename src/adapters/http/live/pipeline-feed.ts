import { createHash } from 'node:crypto';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { throttled } from './throttle.ts';

const PAUSE_MS = 500;

export interface PipelineFeedParts {
  /** What readers are told; undefined when there is nothing that they may read any more. */
  read: () => Promise<object | undefined>;
  /** Why it ends then, and with which last words. */
  over: { by: EndedBy; last: Buffer };
  failed: (error: unknown) => void;
}

interface Reader {
  stream: EventStream;
  /** Id of the state that it has. */
  has: string | undefined;
}

/**
 * A pipeline as its readers follow it. Each event is the whole state, named by its content: whoever comes
 * back with the name of the current one has missed nothing, and whoever reads slowly gets the newest instead
 * of all that were between.
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
    stream.drained = () => this.#tell(reader);
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
    for (const reader of this.#readers) this.#tell(reader);
  }

  #tell(reader: Reader): void {
    const state = this.#state;
    if (state === undefined || reader.has === state.id || reader.stream.waits) return;
    reader.has = state.id;
    reader.stream.write(state.bytes);
  }
}
