import type { ServerResponse } from 'node:http';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { HEARTBEAT } from './encode-event.ts';

/** `sent`: the connection took the write. `waits`: it is buffered until the reader takes it. */
export type WriteResult = 'sent' | 'waits';

/**
 * The open response to one reader. At most one write is buffered: wait for `drained` before the next one, so
 * that a slow reader costs no more than that.
 */
export class EventStream {
  readonly #response: ServerResponse;
  #waitsSince: number | undefined;
  #wroteAt: number;
  /** Valid once the stream has ended. */
  endedBy: EndedBy = 'reader';
  /** Called when the connection has taken everything. */
  drained: () => void = () => undefined;
  /** Called when the reader is gone. */
  gone: () => void = () => undefined;

  constructor(response: ServerResponse, now: number) {
    this.#response = response;
    this.#wroteAt = now;
    response.on('drain', () => {
      this.#waitsSince = undefined;
      this.drained();
    });
    // The reader may leave in the middle of a write.
    response.on('error', () => undefined);
  }

  get open(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  get waits(): boolean {
    return this.#waitsSince !== undefined;
  }

  write(bytes: Buffer, now = performance.now()): WriteResult {
    if (!this.open) return 'waits';
    this.#wroteAt = now;
    if (this.#response.write(bytes)) return 'sent';
    this.#waitsSince ??= now;
    return 'waits';
  }

  /** Ends the stream after these bytes. The reader may connect again. */
  end(by: EndedBy, last?: Buffer): void {
    if (!this.open) return;
    this.endedBy = by;
    if (last !== undefined) this.#response.write(last);
    this.#response.end();
  }

  /**
   * Sends a heartbeat if the stream was quiet. Closes it if the reader has not taken a write for too long;
   * the reader may resume.
   */
  tend(now: number, times: { heartbeatMs: number; maxWaitMs: number }): void {
    if (!this.open) return;
    if (this.#waitsSince !== undefined) {
      if (now - this.#waitsSince < times.maxWaitMs) return;
      this.endedBy = 'slow';
      this.#response.destroy();
    } else if (now - this.#wroteAt >= times.heartbeatMs) this.write(HEARTBEAT, now);
  }
}
