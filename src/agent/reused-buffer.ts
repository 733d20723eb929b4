/**
 * Memory that each use overwrites. New Buffers for each use would stay in memory until a garbage collection,
 * and Node collects them only after tens of megabytes. A body that Node sends over TLS may be overwritten
 * once its request has ended: TLS encrypts or copies all of it when it is written.
 */
export class ReusedBuffer {
  #memory = Buffer.alloc(0);

  /** Returns `size` bytes with any content. They are valid until the next call. */
  take(size: number): Buffer {
    if (size > this.#memory.length)
      this.#memory = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#memory.length));
    return this.#memory.subarray(0, size);
  }
}
