import type { Masker } from '#domain/build/mask-secrets.ts';
import { MaskedText } from './masked-text.ts';

/** Stores the first bytes of a stream, and whether there were more. */
export class Head {
  readonly #limit: number;
  readonly #parts: Buffer[] = [];
  #size = 0;
  overflowed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(bytes: Buffer): void {
    const part = bytes.subarray(0, this.#limit - this.#size);
    if (part.length < bytes.length) this.overflowed = true;
    if (part.length === 0) return;
    this.#parts.push(Buffer.from(part));
    this.#size += part.length;
  }

  text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }
}

/** Stores the last bytes of a stream. */
export class Tail {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(bytes: Buffer): void {
    const joined = bytes.length >= this.#limit ? bytes : Buffer.concat([this.#bytes, bytes]);
    this.#bytes = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#limit)));
  }

  text(): string {
    return this.#bytes.toString('utf8');
  }
}

/**
 * Stores the last bytes of the output of a command, with secrets masked. Masks before it cuts, because half a
 * secret would not be recognized.
 */
export class MaskedTail {
  readonly #masker: Masker;
  readonly #streams: Record<'stdout' | 'stderr', MaskedText>;
  readonly #tail: Tail;

  constructor(masker: Masker, limit: number) {
    this.#masker = masker;
    this.#streams = { stdout: new MaskedText(masker), stderr: new MaskedText(masker) };
    this.#tail = new Tail(limit);
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    this.#tail.write(Buffer.from(this.#streams[stream].write(bytes)));
  }

  /**
   * Ends the streams and returns the text. Masks it again, because the masker may have got further secrets
   * after the text was written.
   */
  end(): string {
    for (const stream of Object.values(this.#streams)) this.#tail.write(Buffer.from(stream.end()));
    return this.#masker.mask(this.#tail.text());
  }
}
