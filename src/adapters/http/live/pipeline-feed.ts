import { createHash } from 'node:crypto';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { pacedReads } from './pace-reads.ts';

/** The shortest time between two reads. */
const PAUSE_MS = 500;

export interface PipelineFeedParts {
  /**
   * Reads the state that viewers get; undefined if the pipeline no longer exists, or they may no longer read
   * it.
   */
  read: () => Promise<object | undefined>;
  /** When `read` returns undefined, the streams end with this cause and these last bytes. */
  over: { by: EndedBy; last: Buffer };
  failed: (error: unknown) => void;
}

interface Viewer {
  stream: EventStream;
  /** Id of the state that the viewer has. */
  stateId: string | undefined;
}

/**
 * Feeds all viewers of a pipeline. Each event is the whole state of the pipeline, and the id of the event is
 * a digest of that state. So a viewer who returns with the id of the current state has missed nothing, and a
 * slow viewer gets the newest state instead of all states in between.
 */
export class PipelineFeed {
  readonly #parts: PipelineFeedParts;
  readonly #viewers = new Set<Viewer>();
  #state: { id: string; bytes: Buffer } | undefined;
  readonly #states;

  constructor(parts: PipelineFeedParts) {
    this.#parts = parts;
    this.#states = pacedReads(() => this.#read(), PAUSE_MS, parts.failed);
  }

  get empty(): boolean {
    return this.#viewers.size === 0;
  }

  add(stream: EventStream, stateId: string | undefined): () => void {
    const viewer = { stream, stateId };
    this.#viewers.add(viewer);
    stream.drained = () => this.#send(viewer);
    this.#states.trigger();
    return () => void this.#viewers.delete(viewer);
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
      for (const { stream } of this.#viewers) stream.end(this.#parts.over.by, this.#parts.over.last);
      return;
    }
    const id = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22);
    if (id !== this.#state?.id) this.#state = { id, bytes: encodeEvent({ name: 'pipeline', id, data }) };
    for (const viewer of this.#viewers) this.#send(viewer);
  }

  #send(viewer: Viewer): void {
    const state = this.#state;
    if (state === undefined || viewer.stateId === state.id || viewer.stream.buffered) return;
    viewer.stateId = state.id;
    viewer.stream.write(state.bytes);
  }
}
