import { encodeDetail } from '#adapters/http/api/builds.ts';
import { encodeChunk } from '#adapters/http/api/logs.ts';
import type { BuildRef } from '#flows/names.ts';
import type { LogPage, Views } from '#flows/views/ports.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { pacedReads } from './pace-reads.ts';

/** The most characters of the log that one read returns, unless a single chunk is longer. */
const MAX_PAGE_CHARACTERS = 128 * 1024;
/** How much of the end of the log stays in memory for viewers that are a little behind. */
const BUFFER_BYTES = 512 * 1024;
/** The shortest time between two reads of the log, and between two reads of the state of the build. */
const LOG_PAUSE_MS = 100;
const STATE_PAUSE_MS = 500;

interface Parts {
  ref: BuildRef;
  views: Pick<Views, 'logs' | 'build'>;
  failed: (error: unknown) => void;
}

interface Viewer {
  stream: EventStream;
  /** Sequence number of the last chunk that the viewer has. */
  cursor: number;
  /** The last state that was sent, as an encoded event. */
  sentState: Buffer | undefined;
  /** Whether `#catchUp` is sending pages to this viewer. */
  isCatchingUp: boolean;
}

/** A page of the log as events. */
interface EncodedPage {
  /** All frames together. Undefined if there are none. */
  bytes: Buffer | undefined;
  frames: { sequence: number; bytes: Buffer }[];
  /** Sequence number of the page's last chunk. If the page is empty, the one that it was read after. */
  last: number;
  hasMore: boolean;
  /** Whether the build has ended and no chunk comes after this page. */
  complete: boolean;
}

/**
 * Feeds all viewers of a build. Viewers at the end of the log share one read of the database, one encoding
 * and the same bytes. Viewers that start late or read slowly get pages of their own until they have caught
 * up.
 */
export class BuildFeed {
  readonly #parts: Parts;
  readonly #viewers = new Set<Viewer>();
  readonly #pages = new Map<number, Promise<EncodedPage | undefined>>();
  #recent: EncodedPage['frames'] = [];
  #recentBytes = 0;
  /**
   * `#recent` holds the chunks after the sequence number `#floor`, up to and including `#head`. `#head` is
   * undefined until a viewer has reached the end of the stored log.
   */
  #floor = 0;
  #head: number | undefined;
  #state: Buffer | undefined;
  #end: Buffer | undefined;
  readonly #logs;
  readonly #states;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#logs = pacedReads(() => this.#readLogs(), LOG_PAUSE_MS, parts.failed);
    this.#states = pacedReads(() => this.#readState(), STATE_PAUSE_MS, parts.failed);
  }

  get empty(): boolean {
    return this.#viewers.size === 0;
  }

  add(stream: EventStream, after: number): () => void {
    const viewer = { stream, cursor: after, sentState: undefined, isCatchingUp: false };
    this.#viewers.add(viewer);
    stream.drained = () => this.#advance(viewer);
    this.#states.trigger();
    this.#advance(viewer);
    return () => void this.#viewers.delete(viewer);
  }

  /** Call it when something may have changed. */
  refresh(): void {
    this.#states.trigger();
    if (this.#head !== undefined) this.#logs.trigger();
  }

  stop(): void {
    this.#logs.stop();
    this.#states.stop();
  }

  /** Sends what the viewer can take now. */
  #advance(viewer: Viewer): void {
    const { stream } = viewer;
    if (viewer.isCatchingUp || !this.#sendState(viewer)) return;
    if (this.#isBehind(viewer)) {
      void this.#catchUp(viewer).catch((error: unknown) => {
        this.#parts.failed(error);
        stream.end('failure');
      });
      return;
    }
    const bytes = this.#bytesAfter(viewer.cursor);
    viewer.cursor = Math.max(viewer.cursor, this.#head ?? 0);
    if (bytes !== undefined && stream.write(bytes) === 'buffered') return;
    if (this.#end !== undefined) stream.end('over', this.#end);
  }

  /** Sends the state if the viewer lacks it. Returns whether the viewer can take more. */
  #sendState(viewer: Viewer): boolean {
    const { stream } = viewer;
    if (stream.buffered || !stream.open) return false;
    if (this.#state === undefined || viewer.sentState === this.#state) return true;
    viewer.sentState = this.#state;
    return stream.write(this.#state) === 'sent';
  }

  /** Whether `#recent` lacks chunks that the viewer needs. */
  #isBehind({ cursor }: Viewer): boolean {
    return this.#head === undefined || cursor < this.#floor;
  }

  /** Sends pages to a viewer until it is no longer behind, or cannot take more. */
  async #catchUp(viewer: Viewer): Promise<void> {
    const { stream } = viewer;
    viewer.isCatchingUp = true;
    try {
      while (stream.open && !stream.buffered && this.#isBehind(viewer)) {
        const page = await this.#page(viewer.cursor);
        if (page === undefined) return stream.end('over', GONE);
        if (page.bytes !== undefined) stream.write(page.bytes);
        viewer.cursor = page.last;
        if (page.hasMore) continue;
        this.#startHead(page.last);
        break;
      }
    } finally {
      viewer.isCatchingUp = false;
    }
    if (this.#head !== undefined) this.#logs.trigger();
    this.#advance(viewer);
  }

  /**
   * Call it when a viewer has reached the end of the stored log. From then on the feed reads the log once for
   * all viewers.
   */
  #startHead(at: number): void {
    if (this.#head !== undefined) return;
    this.#head = at;
    this.#floor = at;
  }

  /** Concurrent requests for the same page share one read. */
  async #page(after: number): Promise<EncodedPage | undefined> {
    const runningRead = this.#pages.get(after);
    if (runningRead !== undefined) return await runningRead;
    const reading = this.#read(after).finally(() => this.#pages.delete(after));
    this.#pages.set(after, reading);
    return await reading;
  }

  async #read(after: number): Promise<EncodedPage | undefined> {
    const page = await this.#parts.views.logs(this.#parts.ref, after, MAX_PAGE_CHARACTERS);
    return page === undefined ? undefined : encodePage(page, after);
  }

  async #readLogs(): Promise<void> {
    for (let hasMore = true; hasMore && this.#head !== undefined;) {
      const page = await this.#read(this.#head);
      if (page === undefined) return this.#finish(GONE);
      this.#buffer(page);
      hasMore = page.hasMore;
      if (page.complete) {
        await this.#readState();
        this.#end = END;
      }
      this.#advanceAll();
    }
  }

  #buffer({ frames, last }: EncodedPage): void {
    this.#bytesByCursor.clear();
    this.#recent.push(...frames);
    for (const { bytes } of frames) this.#recentBytes += bytes.length;
    this.#head = last;
    while (this.#recentBytes > BUFFER_BYTES) {
      const oldest = this.#recent.shift();
      if (oldest === undefined) break;
      this.#recentBytes -= oldest.bytes.length;
      this.#floor = oldest.sequence;
    }
  }

  async #readState(): Promise<void> {
    const build = await this.#parts.views.build(this.#parts.ref);
    if (build === undefined) return this.#finish(GONE);
    const bytes = encodeEvent({ name: 'build', data: encodeDetail(build) });
    if (this.#state?.equals(bytes) === true) return;
    this.#state = bytes;
    this.#advanceAll();
  }

  /** Advances all viewers. Those with the same cursor share the same bytes. */
  #advanceAll(): void {
    this.#bytesByCursor.clear();
    for (const viewer of this.#viewers) this.#advance(viewer);
    this.#bytesByCursor.clear();
  }

  readonly #bytesByCursor = new Map<number, Buffer | undefined>();

  #bytesAfter(cursor: number): Buffer | undefined {
    if (cursor === this.#head) return undefined;
    if (this.#bytesByCursor.has(cursor)) return this.#bytesByCursor.get(cursor);
    const frames = this.#recent.filter(({ sequence }) => sequence > cursor);
    const bytes = frames.length === 0 ? undefined : Buffer.concat(frames.map((frame) => frame.bytes));
    this.#bytesByCursor.set(cursor, bytes);
    return bytes;
  }

  #finish(last: Buffer): void {
    for (const { stream } of this.#viewers) stream.end('over', last);
  }
}

/** Tells viewers that the stream is complete, so they need not connect again. */
const END = encodeEvent({ name: 'end', data: { complete: true } });
const GONE = encodeEvent({
  name: 'end',
  data: { complete: false, reason: 'The build no longer exists.' },
});

function encodePage({ chunks, hasMore, complete }: LogPage, after: number): EncodedPage {
  const frames = chunks.map((chunk) => ({
    sequence: chunk.sequence,
    bytes: encodeEvent({ name: 'log', id: chunk.sequence, data: encodeChunk(chunk) }),
  }));
  return {
    frames,
    bytes: frames.length === 0 ? undefined : Buffer.concat(frames.map(({ bytes }) => bytes)),
    last: frames.at(-1)?.sequence ?? after,
    hasMore,
    complete,
  };
}
