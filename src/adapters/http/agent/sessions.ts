import { createHash } from 'node:crypto';
import { bearerToken } from '#adapters/http/auth/authorize.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';

const KEPT_MS = 30_000;
const MOST_KEPT = 20_000;
const WINDOW_MS = 10_000;
/** A busy agent sends a few requests a second; one gone wild must not keep the database from the others. */
const REQUESTS_PER_WINDOW = 300;
const BYTES_PER_WINDOW = 64 * 1024 * 1024;
/**
 * For so long a key that is nobody's is not asked for again; a session that opens with it is known at once.
 */
const UNKNOWN_MS = 10_000;
const MAX_UNKNOWN = 10_000;

interface Kept {
  session: AgentSession;
  until: number;
  windowEnds: number;
  requests: number;
  bytes: number;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Keys seen lately, by hash, so that events cost no look-up of their own. A session that is over is told so
 * by the next write, not by this memory.
 */
export class Sessions {
  readonly #kept = new Map<string, Kept>();
  /** Keys that are nobody's, by hash, and until when that is believed. */
  readonly #unknown = new Map<string, number>();
  readonly #lookUp: (keyHash: string) => Promise<AgentSession | undefined>;

  constructor(lookUp: (keyHash: string) => Promise<AgentSession | undefined>) {
    this.#lookUp = lookUp;
  }

  /** The session of the request's key; refuses keys that are nobody's, and those that ask too much. */
  async of(authorization: string | undefined): Promise<{ keyHash: string; session: AgentSession }> {
    const key = bearerToken(authorization);
    if (key === undefined || key === '') throw over();
    const keyHash = hashKey(key);
    const kept = this.#kept.get(keyHash) ?? this.remember(keyHash, await this.#find(keyHash));
    if (kept.until < performance.now()) {
      kept.session = await this.#find(keyHash);
      kept.until = performance.now() + KEPT_MS;
    }
    countRequest(kept);
    return { keyHash, session: kept.session };
  }

  /** The key was seen lately: identifying it costs nothing, or one query in 30 s. */
  knows(authorization: string | undefined): boolean {
    const key = bearerToken(authorization);
    return key !== undefined && this.#kept.has(hashKey(key));
  }

  /** Bytes that a request of the session brought, inflated. */
  received(keyHash: string, bytes: number): void {
    const kept = this.#kept.get(keyHash);
    if (kept !== undefined) kept.bytes += bytes;
  }

  remember(keyHash: string, session: AgentSession): Kept {
    const now = performance.now();
    this.#unknown.delete(keyHash);
    if (this.#kept.size >= MOST_KEPT) this.#forgetOldest();
    const kept = { session, until: now + KEPT_MS, windowEnds: now + WINDOW_MS, requests: 0, bytes: 0 };
    this.#kept.set(keyHash, kept);
    return kept;
  }

  forget(keyHash: string): void {
    this.#kept.delete(keyHash);
  }

  async #find(keyHash: string): Promise<AgentSession> {
    if ((this.#unknown.get(keyHash) ?? 0) > performance.now()) throw over();
    const session = await this.#lookUp(keyHash);
    if (session !== undefined) return session;
    this.#kept.delete(keyHash);
    if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
    this.#unknown.set(keyHash, performance.now() + UNKNOWN_MS);
    throw over();
  }

  /** Maps keep the order of insertion. */
  #forgetOldest(): void {
    for (const keyHash of this.#kept.keys()) {
      this.#kept.delete(keyHash);
      return;
    }
  }
}

export function over(): Problem {
  return new Problem('unauthenticated', 'This session is over, or never was.');
}

function countRequest(kept: Kept): void {
  const now = performance.now();
  if (kept.windowEnds < now) {
    kept.windowEnds = now + WINDOW_MS;
    kept.requests = 0;
    kept.bytes = 0;
  }
  kept.requests += 1;
  if (kept.requests > REQUESTS_PER_WINDOW || kept.bytes > BYTES_PER_WINDOW) {
    throw new Problem('too-many-requests', 'This agent sends too much. Try again in a few seconds.');
  }
}
