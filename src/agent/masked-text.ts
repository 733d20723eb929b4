import { StringDecoder } from 'node:string_decoder';
import type { Masker, MaskStream } from '#domain/build/mask-secrets.ts';
import { storable } from '#domain/build/storable.ts';

/**
 * Turns the bytes of one stream into text without secrets, even if a character or a secret arrives in pieces.
 */
export class MaskedText {
  readonly #decoder = new StringDecoder('utf8');
  readonly #mask: MaskStream;

  constructor(masker: Masker) {
    this.#mask = masker.stream();
  }

  write(bytes: Buffer): string {
    return this.#mask.write(storable(this.#decoder.write(bytes)));
  }

  end(): string {
    return this.#mask.write(storable(this.#decoder.end())) + this.#mask.end();
  }
}
