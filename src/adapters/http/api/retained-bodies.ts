/** The smallest buffer that a body gets. */
const MIN_BUFFER_BYTES = 4 * 1024;

/** A body in memory, which grows with each chunk until it is released or dropped. */
export interface RetainedBody {
  append: (chunk: Uint8Array) => void;
  /**
   * The bytes received so far, or why there are none. `too-large`: the body is longer than `maxBodyBytes`.
   * `dropped`: the memory limit was reached, by newer bodies or by this one.
   */
  content: () => Buffer | 'too-large' | 'dropped';
  /** Stops counting the memory of the body, and ignores further chunks. `content` stays readable. */
  release: () => void;
}

/**
 * Retains bodies in memory, each up to `maxBodyBytes`, and those that are not released up to `maxBytes`
 * together. If there is no room, the body that began first is dropped. A forge sends a body within
 * milliseconds, while an attacker who wants to occupy all the memory sends slowly and so has the older
 * bodies.
 */
export class RetainedBodies {
  readonly #limits: { maxBytes: number; maxBodyBytes: number };
  /** Oldest first. */
  readonly #open = new Set<OpenBody>();
  #bytes = 0;

  constructor(limits: { maxBytes: number; maxBodyBytes: number }) {
    this.#limits = limits;
  }

  begin(): RetainedBody {
    const body: OpenBody = { buffer: Buffer.alloc(0), length: 0, end: undefined };
    this.#open.add(body);
    return {
      append: (chunk) => this.#append(body, chunk),
      content: () => body.end ?? body.buffer.subarray(0, body.length),
      release: () => this.#close(body),
    };
  }

  #append(body: OpenBody, chunk: Uint8Array): void {
    if (!this.#open.has(body)) return;
    const length = body.length + chunk.length;
    if (length > this.#limits.maxBodyBytes) return this.#drop(body, 'too-large');
    if (length > body.buffer.length && !this.#grow(body, length)) return undefined;
    body.buffer.set(chunk, body.length);
    body.length = length;
    return undefined;
  }

  /**
   * Enlarges the buffer of a body. Makes room by dropping the oldest bodies first. Returns false if that
   * dropped the body itself. Each body has one buffer that doubles, because a list of many small chunks would
   * take many times their length.
   */
  #grow(body: OpenBody, length: number): boolean {
    const wantedSize = Math.max(length, body.buffer.length * 2, MIN_BUFFER_BYTES);
    const size = Math.min(wantedSize, this.#limits.maxBodyBytes);
    for (const oldest of this.#open) {
      if (this.#bytes - body.buffer.length + size <= this.#limits.maxBytes) break;
      this.#drop(oldest, 'dropped');
    }
    if (body.end !== undefined) return false;
    const buffer = Buffer.alloc(size);
    buffer.set(body.buffer.subarray(0, body.length));
    this.#bytes += size - body.buffer.length;
    body.buffer = buffer;
    return true;
  }

  #drop(body: OpenBody, end: 'too-large' | 'dropped'): void {
    this.#close(body);
    body.end = end;
    body.buffer = Buffer.alloc(0);
  }

  #close(body: OpenBody): void {
    if (this.#open.delete(body)) this.#bytes -= body.buffer.length;
  }
}

interface OpenBody {
  buffer: Buffer;
  length: number;
  /** Why the body has no content. */
  end: 'too-large' | 'dropped' | undefined;
}
