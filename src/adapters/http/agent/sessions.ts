import { createHash } from 'node:crypto';
import { bearerToken } from '#adapters/http/auth/authenticate.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';

const CACHED_MS = 30_000;
const MAX_CACHED = 20_000;
const WINDOW_MS = 10_000;
/** A busy agent sends a few requests a second. A faulty one must not take the database from the others. */
const REQUESTS_PER_WINDOW = 300;
const BYTES_PER_WINDOW = 64 * 1024 * 1024;
/** How long an unknown key is refused without a query. A session that opens with it is known at once. */
const UNKNOWN_MS = 10_000;
const MAX_UNKNOWN = 10_000;

interface CachedSession {
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
 * Caches sessions by the hash of their key, so that events need no query of their own. The next write reports
 * that a session has ended, not this cache.
 */
export class Sessions {
  readonly #cached = new Map<string, CachedSession>();
  /** Hashes of unknown keys, and until when they count as unknown. */
  readonly #unknown = new Map<string, number>();
  readonly #lookUp: (keyHash: string) => Promise<AgentSession | undefined>;

  constructor(lookUp: (keyHash: string) => Promise<AgentSession | undefined>) {
    this.#lookUp = lookUp;
  }

  /** Returns the session of the request's key. Refuses unknown keys and agents that send too much. */
  async of(authorization: string | undefined): Promise<{ keyHash: string; session: AgentSession }> {
    const key = bearerToken(authorization);
    if (key === undefined || key === '') throw sessionOver();
    const keyHash = hashKey(key);
    const entry = this.#cached.get(keyHash) ?? this.cache(keyHash, await this.#find(keyHash));
    // A build may have taken a warm Pod since.
    if (entry.until < performance.now() || entry.session.kind === 'warm') {
      entry.session = await this.#find(keyHash);
      entry.until = performance.now() + CACHED_MS;
    }
    countRequest(entry);
    return { keyHash, session: entry.session };
  }

  /** The key was seen lately: identifying it costs nothing, or one query in 30 s. */
  knows(authorization: string | undefined): boolean {
    const key = bearerToken(authorization);
    return key !== undefined && this.#cached.has(hashKey(key));
  }

  /** Counts the bytes of a request body, inflated. */
  received(keyHash: string, bytes: number): void {
    const entry = this.#cached.get(keyHash);
    if (entry !== undefined) entry.bytes += bytes;
  }

  cache(keyHash: string, session: AgentSession): CachedSession {
    const now = performance.now();
    this.#unknown.delete(keyHash);
    if (this.#cached.size >= MAX_CACHED) this.#dropOldest();
    const entry = { session, until: now + CACHED_MS, windowEnds: now + WINDOW_MS, requests: 0, bytes: 0 };
    this.#cached.set(keyHash, entry);
    return entry;
  }

  forget(keyHash: string): void {
    this.#cached.delete(keyHash);
  }

  async #find(keyHash: string): Promise<AgentSession> {
    if ((this.#unknown.get(keyHash) ?? 0) > performance.now()) throw sessionOver();
    const session = await this.#lookUp(keyHash);
    if (session !== undefined) return session;
    this.#cached.delete(keyHash);
    if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
    this.#unknown.set(keyHash, performance.now() + UNKNOWN_MS);
    throw sessionOver();
  }

  /** Maps keep the order of insertion. */
  #dropOldest(): void {
    for (const keyHash of this.#cached.keys()) {
      this.#cached.delete(keyHash);
      return;
    }
  }
}

export function sessionOver(): Problem {
  return new Problem('unauthenticated', 'This session has ended or never existed.');
}

function countRequest(entry: CachedSession): void {
  const now = performance.now();
  if (entry.windowEnds < now) {
    entry.windowEnds = now + WINDOW_MS;
    entry.requests = 0;
    entry.bytes = 0;
  }
  entry.requests += 1;
  if (entry.requests > REQUESTS_PER_WINDOW || entry.bytes > BYTES_PER_WINDOW) {
    throw new Problem('too-many-requests', 'This agent sends too much. Try again in a few seconds.');
  }
}
