import type { ServerResponse } from 'node:http';
import type { EndedBy } from '#adapters/telemetry/stream-metrics.ts';
import { HEARTBEAT } from './encode-event.ts';

/** What was written last went out at once, or waits for the reader's connection to take it. */
export type Written = 'sent' | 'waits';

/**
 * One reader's answer without an end. At most one write waits here; who has more to say waits for `drained`,
 * so that a slow reader costs what one write costs.
 */
export class EventStream {
  readonly #response: ServerResponse;
  #waitsSince: number | undefined;
  #spokeAt: number;
  /** Meaningful once it is over. */
  endedBy: EndedBy = 'reader';
  /** The connection took everything; there may be more to say. */
  drained: () => void = () => undefined;
  /** The reader is gone. */
  gone: () => void = () => undefined;

  constructor(response: ServerResponse, now: number) {
    this.#response = response;
    this.#spokeAt = now;
    response.on('drain', () => {
      this.#waitsSince = undefined;
      this.drained();
    });
    // A reader that goes away in the middle of a write is no failure of ours.
    response.on('error', () => undefined);
  }

  get open(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  get waits(): boolean {
    return this.#waitsSince !== undefined;
  }

  write(bytes: Buffer, now = performance.now()): Written {
    if (!this.open) return 'waits';
    this.#spokeAt = now;
    if (this.#response.write(bytes)) return 'sent';
    this.#waitsSince ??= now;
    return 'waits';
  }

  /** Ends it after these words; a reader that wants more comes again. */
  end(by: EndedBy, last?: Buffer): void {
    if (!this.open) return;
    this.endedBy = by;
    if (last !== undefined) this.#response.write(last);
    this.#response.end();
  }

  /**
   * A sign of life when it was quiet; a reader that has not taken a write for too long is cut off, and may
   * resume.
   */
  tend(now: number, times: { heartbeatMs: number; maxWaitMs: number }): void {
    if (!this.open) return;
    if (this.#waitsSince !== undefined) {
      if (now - this.#waitsSince < times.maxWaitMs) return;
      this.endedBy = 'slow';
      this.#response.destroy();
    } else if (now - this.#spokeAt >= times.heartbeatMs) this.write(HEARTBEAT, now);
  }
}
