import { createHash } from 'node:crypto';
import { bearerToken } from '#adapters/http/auth/authenticate.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';

const CACHED_MS = 30_000;
const MAX_CACHED = 20_000;
const WINDOW_MS = 10_000;
/** A busy agent sends a few requests a second. A faulty one must not overload the database. */
const REQUESTS_PER_WINDOW = 300;
const BYTES_PER_WINDOW = 64 * 1024 * 1024;
/**
 * How long an unknown key is refused without a query. If a session is opened with the key on this replica in
 * the meantime, the key is valid here at once.
 */
const UNKNOWN_MS = 10_000;
const MAX_UNKNOWN = 10_000;

/** A session, and how much its agent has sent in the current window. */
interface CachedSession {
  session: AgentSession;
  validUntil: number;
  windowEndsAt: number;
  requests: number;
  bytes: number;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Caches sessions by the hash of their key, so that most requests need no query to find their session. The
 * cache learns that a session has ended only when it looks the session up again, up to 30 s later. A write of
 * the session reports that earlier, and the route then calls `forget`.
 */
export class Sessions {
  readonly #cached = new Map<string, CachedSession>();
  /** Hashes of unknown keys, and until when they count as unknown. */
  readonly #unknown = new Map<string, number>();
  readonly #lookUp: (keyHash: string) => Promise<AgentSession | undefined>;

  constructor(lookUp: (keyHash: string) => Promise<AgentSession | undefined>) {
    this.#lookUp = lookUp;
  }

  /**
   * Returns the session of the request's key. Throws a problem if the key is missing or unknown, or if its
   * agent sends too much.
   */
  async identify(authorization: string | undefined): Promise<{ keyHash: string; session: AgentSession }> {
    const key = bearerToken(authorization);
    if (key === undefined || key === '') throw sessionOver();
    const keyHash = hashKey(key);
    const cached = this.#cached.get(keyHash) ?? this.cache(keyHash, await this.#find(keyHash));
    // A warm session is looked up each time, because a build may have taken the warm Pod since the last
    // look-up.
    if (cached.validUntil < performance.now() || cached.session.kind === 'warm') {
      cached.session = await this.#find(keyHash);
      cached.validUntil = performance.now() + CACHED_MS;
    }
    countRequest(cached);
    return { keyHash, session: cached.session };
  }

  /**
   * Whether the key of a request is cached. Identifying such a key costs at most one query in 30 s, or one
   * per request while a warm Pod waits.
   */
  isCached(authorization: string | undefined): boolean {
    const key = bearerToken(authorization);
    return key !== undefined && this.#cached.has(hashKey(key));
  }

  /** Counts the bytes of a request body, after decompression, against the limit of the session. */
  countBytes(keyHash: string, bytes: number): void {
    const cached = this.#cached.get(keyHash);
    if (cached !== undefined) cached.bytes += bytes;
  }

  /**
   * Caches a session. If it is cached already, it keeps its counts, because opening a session again must not
   * reset its limits.
   */
  cache(keyHash: string, session: AgentSession): CachedSession {
    const now = performance.now();
    this.#unknown.delete(keyHash);
    const known = this.#cached.get(keyHash);
    if (known === undefined && this.#cached.size >= MAX_CACHED) this.#dropOldest();
    const counts = known ?? { windowEndsAt: now + WINDOW_MS, requests: 0, bytes: 0 };
    const cached = { ...counts, session, validUntil: now + CACHED_MS };
    this.#cached.set(keyHash, cached);
    return cached;
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

  /** Deletes the first entry, which is the oldest, because Maps keep the order of insertion. */
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

function countRequest(cached: CachedSession): void {
  const now = performance.now();
  if (cached.windowEndsAt < now) {
    cached.windowEndsAt = now + WINDOW_MS;
    cached.requests = 0;
    cached.bytes = 0;
  }
  cached.requests += 1;
  if (cached.requests > REQUESTS_PER_WINDOW || cached.bytes > BYTES_PER_WINDOW) {
    throw new Problem('too-many-requests', 'This agent sends too much. Try again in a few seconds.');
  }
}
