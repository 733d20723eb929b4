import { Problem } from '#adapters/http/protocol/problem.ts';

/** Bodies of a session that are together no longer than this are never refused. Nearly all of them are. */
export const FREE_BYTES_OF_SESSION = 64 * 1024;
/** What is beyond that, of all sessions. The texts and values that are read from it take some times as much. */
export const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024;

/** A body that is being received or handled. */
export interface BodyInFlight {
  /** Counts received bytes, inflated. Throws a problem with status 429 if there is no memory for them now. */
  add: (bytes: number) => void;
  /** The request has been answered, or its connection has ended. */
  end: () => void;
}

interface Session {
  bodies: number;
  bytes: number;
}

/**
 * Bounds the memory that the bodies of all agents take together. A session takes at most as much as it leaves
 * free, so that few sessions cannot take everything (the dynamic threshold of Choudhury and Hahne, 1998).
 */
export class BodiesInFlight {
  readonly #sessions = new Map<string, Session>();
  #bytes = 0;

  begin(keyHash: string): BodyInFlight {
    const session = this.#sessions.get(keyHash) ?? { bodies: 0, bytes: 0 };
    session.bodies += 1;
    this.#sessions.set(keyHash, session);
    let received = 0;
    let ended = false;
    return {
      add: (bytes) => {
        if (ended) return;
        this.#change(session, bytes);
        received += bytes;
      },
      end: () => {
        if (ended) return;
        ended = true;
        this.#change(session, -received);
        session.bodies -= 1;
        if (session.bodies === 0) this.#sessions.delete(keyHash);
      },
    };
  }

  #change(session: Session, bytes: number): void {
    const taken = beyondFree(session.bytes + bytes);
    const total = this.#bytes - beyondFree(session.bytes) + taken;
    if (bytes > 0 && taken > MAX_BYTES_IN_FLIGHT - total)
      throw new Problem(
        'too-many-requests',
        'There is no memory for this body now. Try again in a few seconds.',
      );
    session.bytes += bytes;
    this.#bytes = total;
  }
}

const beyondFree = (bytes: number): number => Math.max(bytes - FREE_BYTES_OF_SESSION, 0);
