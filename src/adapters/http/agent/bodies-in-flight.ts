import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * How many bytes of a session may be in flight without being counted. Nearly all sessions stay below this
 * limit, so this count never refuses them.
 */
export const UNCOUNTED_BODY_BYTES = 64 * 1024;
/** Limit on the counted bytes of all sessions together. Parsing them takes several times as much memory. */
export const MAX_COUNTED_BODY_BYTES = 40 * 1024 * 1024;

/**
 * Counted for each piece in addition to its bytes, because a body of many tiny pieces could otherwise take a
 * gigabyte.
 */
const EXTRA_BYTES_PER_PIECE = 512;

/** A body that is being received or handled. */
export interface BodyInFlight {
  /**
   * Counts a received piece by its uncompressed bytes, plus `EXTRA_BYTES_PER_PIECE`. Throws a problem with
   * status 429 if there is no memory for it now.
   */
  add: (bytes: number) => void;
  /**
   * Call this when nothing holds the body any more: the response has closed, and no handler is using the
   * body.
   */
  end: () => void;
}

/**
 * Limits the memory that the bodies of all agents take together. A piece is accepted only if the counted
 * bytes of its session then do not exceed the bytes that are still free, so a few sessions cannot take
 * everything (the dynamic threshold of Choudhury and Hahne, 1998).
 */
export class BodiesInFlight {
  /** Bytes in flight, by the hash of the session's key. */
  readonly #sessions = new Map<string, number>();
  /** The counted bytes of all sessions. */
  #counted = 0;

  begin(keyHash: string): BodyInFlight {
    let bodyBytes = 0;
    let ended = false;
    return {
      add: (bytes) => {
        if (ended) return;
        const pieceBytes = bytes + EXTRA_BYTES_PER_PIECE;
        this.#change(keyHash, pieceBytes);
        bodyBytes += pieceBytes;
      },
      end: () => {
        if (ended) return;
        ended = true;
        this.#change(keyHash, -bodyBytes);
      },
    };
  }

  #change(keyHash: string, bytes: number): void {
    const bytesBefore = this.#sessions.get(keyHash) ?? 0;
    const counted = countedBytes(bytesBefore + bytes);
    const total = this.#counted - countedBytes(bytesBefore) + counted;
    if (bytes > 0 && counted > MAX_COUNTED_BODY_BYTES - total)
      throw new Problem(
        'too-many-requests',
        'There is no memory for this body now. Try again in a few seconds.',
      );
    if (bytesBefore + bytes === 0) this.#sessions.delete(keyHash);
    else this.#sessions.set(keyHash, bytesBefore + bytes);
    this.#counted = total;
  }
}

const countedBytes = (bytes: number): number => Math.max(bytes - UNCOUNTED_BODY_BYTES, 0);
