import { Problem } from '#adapters/http/protocol/problem.ts';

/** Bodies of a session that are together no longer than this are never refused. Nearly all of them are. */
export const FREE_BYTES_OF_SESSION = 64 * 1024;
/** What is beyond that, of all sessions. The texts and values that are read from it take some times as much. */
export const MAX_BYTES_IN_FLIGHT = 40 * 1024 * 1024;

/** What a piece of a body takes besides its bytes. Without it, a body of many tiny pieces would take a gigabyte. */
const BYTES_PER_PIECE = 512;

/** A body that is being received or handled. */
export interface BodyInFlight {
  /**
   * Counts a received piece, by its bytes when inflated. Throws a problem with status 429 if there is no memory
   * for it now.
   */
  add: (bytes: number) => void;
  /** The request has been answered, or its connection has ended. */
  end: () => void;
}

/**
 * Bounds the memory that the bodies of all agents take together. A session takes at most as much as it leaves
 * free, so that few sessions cannot take everything (the dynamic threshold of Choudhury and Hahne, 1998).
 */
export class BodiesInFlight {
  /** Bytes in flight, by hash of the session's key. */
  readonly #sessions = new Map<string, number>();
  #bytes = 0;

  begin(keyHash: string): BodyInFlight {
    let received = 0;
    let ended = false;
    return {
      add: (bytes) => {
        if (ended) return;
        const taken = bytes + BYTES_PER_PIECE;
        this.#change(keyHash, taken);
        received += taken;
      },
      end: () => {
        if (ended) return;
        ended = true;
        this.#change(keyHash, -received);
      },
    };
  }

  #change(keyHash: string, bytes: number): void {
    const before = this.#sessions.get(keyHash) ?? 0;
    const taken = beyondFree(before + bytes);
    const total = this.#bytes - beyondFree(before) + taken;
    if (bytes > 0 && taken > MAX_BYTES_IN_FLIGHT - total)
      throw new Problem(
        'too-many-requests',
        'There is no memory for this body now. Try again in a few seconds.',
      );
    if (before + bytes === 0) this.#sessions.delete(keyHash);
    else this.#sessions.set(keyHash, before + bytes);
    this.#bytes = total;
  }
}

const beyondFree = (bytes: number): number => Math.max(bytes - FREE_BYTES_OF_SESSION, 0);
