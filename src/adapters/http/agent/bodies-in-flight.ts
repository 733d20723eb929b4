import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Bytes in flight of one session that do not count. Nearly all sessions stay below this, and are never
 * refused.
 */
export const UNCOUNTED_BODY_BYTES = 64 * 1024;
/** Limit on the bytes of all sessions that count. Parsing them takes several times as much memory. */
export const MAX_COUNTED_BODY_BYTES = 40 * 1024 * 1024;

/** Counted for each piece besides its bytes: otherwise a body of many tiny pieces could take a gigabyte. */
const EXTRA_BYTES_PER_PIECE = 512;

/** A body that is being received or handled. */
export interface BodyInFlight {
  /**
   * Counts a received piece by its uncompressed bytes. Throws a problem with status 429 if there is no memory
   * for it now.
   */
  add: (bytes: number) => void;
  /** Call this when the request has been answered, or its connection has ended. */
  end: () => void;
}

/**
 * Bounds the memory that the bodies of all agents take together. The counted bytes of a session never exceed
 * those that remain free, so a few sessions cannot take everything (the dynamic threshold of Choudhury and
 * Hahne, 1998).
 */
export class BodiesInFlight {
  /** Bytes in flight, by the hash of the session's key. */
  readonly #sessions = new Map<string, number>();
  /** Of all sessions. */
  #counted = 0;

  begin(keyHash: string): BodyInFlight {
    let ofBody = 0;
    let ended = false;
    return {
      add: (bytes) => {
        if (ended) return;
        const ofPiece = bytes + EXTRA_BYTES_PER_PIECE;
        this.#change(keyHash, ofPiece);
        ofBody += ofPiece;
      },
      end: () => {
        if (ended) return;
        ended = true;
        this.#change(keyHash, -ofBody);
      },
    };
  }

  #change(keyHash: string, bytes: number): void {
    const before = this.#sessions.get(keyHash) ?? 0;
    const counted = countedBytes(before + bytes);
    const total = this.#counted - countedBytes(before) + counted;
    if (bytes > 0 && counted > MAX_COUNTED_BODY_BYTES - total)
      throw new Problem(
        'too-many-requests',
        'There is no memory for this body now. Try again in a few seconds.',
      );
    if (before + bytes === 0) this.#sessions.delete(keyHash);
    else this.#sessions.set(keyHash, before + bytes);
    this.#counted = total;
  }
}

const countedBytes = (bytes: number): number => Math.max(bytes - UNCOUNTED_BODY_BYTES, 0);
