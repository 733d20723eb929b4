import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNonMember } from '#adapters/http/auth/public-access.ts';
import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { StreamKind, StreamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import { encodeEvent, encodeRetry } from './encode-event.ts';
import { EventStream } from './event-stream.ts';

export interface StreamLimits {
  /** The most open streams of one account, of one address, and of this process. */
  perAccount: number;
  perAddress: number;
  total: number;
  /** The most open streams of non-members: from one address, and in this process. */
  publicPerAddress: number;
  publicTotal: number;
  /** Milliseconds between checks of rights. */
  recheckMs: number;
  heartbeatMs: number;
  /** How long a write may wait for its viewer, in milliseconds. */
  maxWaitMs: number;
}

/**
 * The limits per address are high, because an address may be a whole office, or a proxy that is not
 * configured as trusted.
 */
export const STREAM_LIMITS: StreamLimits = {
  perAccount: 100,
  perAddress: 1000,
  total: 3000,
  publicPerAddress: 100,
  publicTotal: 1000,
  recheckMs: 3000,
  heartbeatMs: 15_000,
  maxWaitMs: 30_000,
};

interface Parts {
  limits: StreamLimits;
  metrics: StreamMetrics | undefined;
  /**
   * Starts one round of checks of all streams. The returned function throws a `Problem` if the sender of a
   * request may no longer read what they requested; otherwise it returns their current identity. It looks up
   * each credential only once.
   */
  checkRights: () => CheckRights;
  /** Called after each round of checks. */
  onChecked: () => void;
}

type CheckRights = (request: FastifyRequest) => Promise<Identity | undefined>;

/** Whether the viewer may continue to read: a condition in addition to the rules of the route. */
type StillMayRead = (identity: Identity | undefined) => boolean;

interface OpenStream {
  kind: StreamKind;
  stream: EventStream;
  request: FastifyRequest;
  stillMayRead: StillMayRead;
  /** The keys under which the stream is counted. */
  limitKeys: string[];
}

/**
 * Holds all event streams of this process, limits their number, checks the rights of their viewers, and ends
 * the streams.
 */
export class OpenStreams {
  readonly #parts: Parts;
  readonly #open = new Set<OpenStream>();
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #checking = false;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.metrics?.watch(() => [...this.#open].map(({ kind, stream: { buffered } }) => ({ kind, buffered })));
  }

  /** Answers with a stream, or throws a problem if too many are open. */
  answer(
    kind: StreamKind,
    request: FastifyRequest,
    reply: FastifyReply,
    stillMayRead: StillMayRead = () => true,
  ): EventStream {
    const limitKeys = this.#admit(request, isNonMember(request));
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...definedHeaders(reply), ...HEADERS });
    raw.socket?.setNoDelay(true);
    const stream = new EventStream(raw, performance.now());
    const open = { kind, stream, request, stillMayRead, limitKeys };
    this.#count(open, 1);
    this.#open.add(open);
    const onClose = (): void => {
      this.#open.delete(open);
      this.#count(open, -1);
      this.#parts.metrics?.ended(kind, open.stream.endedBy);
      if (this.#open.size === 0) this.#stopTimer();
      open.stream.closed();
    };
    // If the viewer has already left, no close event follows, so the stream is removed without one.
    if (raw.closed) queueMicrotask(onClose);
    else raw.once('close', onClose);
    // A random delay keeps viewers that lost their streams together from reconnecting together.
    open.stream.write(encodeRetry(1000 + Math.random() * 2000));
    // A HEAD request gets the headers only.
    if (this.#closed || request.method === 'HEAD') open.stream.end(this.#closed ? 'stop' : 'over');
    else this.#timer ??= setInterval(() => void this.#check(), this.#parts.limits.recheckMs);
    return open.stream;
  }

  /** Ends all streams. Their viewers then connect to another replica. */
  close(): void {
    this.#closed = true;
    this.#stopTimer();
    for (const { stream } of this.#open) stream.end('stop');
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the keys under which one more stream is counted, or throws if a limit is reached. */
  #admit(request: FastifyRequest, nonMember: boolean): string[] {
    const { limits, metrics } = this.#parts;
    const applicable = limitsFor(request, nonMember, limits);
    const reached = applicable.find(({ key, limit }) => (this.#counts.get(key) ?? 0) >= limit);
    const reachedLimit = reached?.name ?? (this.#open.size >= limits.total ? 'process' : undefined);
    if (reachedLimit === undefined) return applicable.map(({ key }) => key);
    metrics?.refused(reachedLimit);
    throw reachedLimit === 'account' || reachedLimit === 'address' ? tooManyStreams() : serverFull();
  }

  #count({ limitKeys }: OpenStream, change: 1 | -1): void {
    for (const key of limitKeys) {
      const count = (this.#counts.get(key) ?? 0) + change;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }

  /** Sends heartbeats, and ends the streams of viewers who read too slowly or have lost their rights. */
  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const now = performance.now();
    const { limits, onChecked, checkRights } = this.#parts;
    for (const { stream } of this.#open) stream.keepAlive(now, limits);
    const checkAccess = checkRights();
    const open = [...this.#open].values();
    // The concurrent calls of `work` share the iterator, so each stream is checked once.
    const work = async (): Promise<void> => {
      for (const openStream of open)
        if (!(await mayRead(openStream, checkAccess))) openStream.stream.end('rights', RIGHTS_LOST);
    };
    await Promise.all(Array.from({ length: MAX_CHECKS_AT_ONCE }, work));
    onChecked();
    this.#checking = false;
  }
}

/** How many database connections checks of rights may use at a time. */
export const MAX_CHECKS_AT_ONCE = 4;

async function mayRead({ request, stillMayRead }: OpenStream, checkAccess: CheckRights): Promise<boolean> {
  try {
    return stillMayRead(await checkAccess(request));
  } catch (error) {
    // A stream stays open while rights cannot be read, because new data cannot be read then either.
    return !(error instanceof Problem);
  }
}

function tooManyStreams(): Problem {
  return new Problem('too-many-requests', 'You have too many event streams open. Close some of them.', {
    retry_after: 30,
  });
}

function serverFull(): Problem {
  return new Problem('unavailable', 'Too many event streams are open on this server. Try again in a minute.');
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Tells proxies such as nginx not to buffer the stream.
  'x-accel-buffering': 'no',
};

const RIGHTS_LOST = encodeEvent({ name: 'closed', data: { reason: 'You may no longer read this.' } });

type StreamLimit = Parameters<StreamMetrics['refused']>[0];

function limitsFor(
  { identity, ip }: FastifyRequest,
  nonMember: boolean,
  limits: StreamLimits,
): { key: string; limit: number; name: StreamLimit }[] {
  const { perAccount, perAddress, publicPerAddress, publicTotal } = limits;
  const account =
    identity === undefined
      ? []
      : [{ key: `account ${identity.user}`, limit: perAccount, name: 'account' as const }];
  const address = { key: `address ${ip}`, limit: perAddress, name: 'address' as const };
  if (!nonMember) return [...account, address];
  const publicAddress = {
    key: `public at ${addressGroup(ip)}`,
    limit: publicPerAddress,
    name: 'address' as const,
  };
  return [...account, address, publicAddress, { key: 'public', limit: publicTotal, name: 'public' }];
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  const entries = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
