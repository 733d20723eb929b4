import type { ServerResponse } from 'node:http';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { HEARTBEAT } from './encode-event.ts';

/**
 * `sent`: the connection took the bytes. `buffered`: the bytes wait in memory, so write no more until
 * `drained` is called. A write after the end of the stream is dropped, and its result is `buffered`.
 */
export type WriteResult = 'sent' | 'buffered';

/**
 * The open response to one viewer. After a `buffered` write, wait for `drained` before the next one: then a
 * slow viewer takes little more memory than one write.
 */
export class EventStream {
  readonly #response: ServerResponse;
  #bufferedSince: number | undefined;
  #wroteAt: number;
  /** Who ended the stream: the viewer, unless the gateway did. */
  endedBy: EndedBy = 'reader';
  /** Called when the connection has taken all buffered bytes. */
  drained: () => void = () => undefined;
  /** `OpenStreams` calls this when the response has closed, whichever side closed it. */
  closed: () => void = () => undefined;

  constructor(response: ServerResponse, now: number) {
    this.#response = response;
    this.#wroteAt = now;
    response.on('drain', () => {
      this.#bufferedSince = undefined;
      this.drained();
    });
    // The viewer may leave in the middle of a write, which is not an error here.
    response.on('error', () => undefined);
  }

  get open(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  get buffered(): boolean {
    return this.#bufferedSince !== undefined;
  }

  write(bytes: Buffer, now = performance.now()): WriteResult {
    if (!this.open) return 'buffered';
    this.#wroteAt = now;
    if (this.#response.write(bytes)) return 'sent';
    this.#bufferedSince ??= now;
    return 'buffered';
  }

  /** Ends the stream after these bytes, such as an `end` event. */
  end(by: EndedBy, last?: Buffer): void {
    if (!this.open) return;
    this.endedBy = by;
    if (last !== undefined) this.#response.write(last);
    this.#response.end();
  }

  /**
   * Sends a heartbeat if nothing was written for `heartbeatMs`. If a write has been buffered for `maxWaitMs`,
   * closes the connection instead. The viewer may then connect again and resume.
   */
  keepAlive(now: number, times: { heartbeatMs: number; maxWaitMs: number }): void {
    if (!this.open) return;
    if (this.#bufferedSince !== undefined) {
      if (now - this.#bufferedSince < times.maxWaitMs) return;
      this.endedBy = 'slow';
      this.#response.destroy();
    } else if (now - this.#wroteAt >= times.heartbeatMs) this.write(HEARTBEAT, now);
  }
}
