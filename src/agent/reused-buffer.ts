/**
 * Memory that each use overwrites. A new Buffer for each use would wait for a garbage collection, and Node
 * lets tens of megabytes of them wait. A body that Node sends over TLS may be overwritten once its request
 * has ended: TLS encrypts or copies all of it when it is written.
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
