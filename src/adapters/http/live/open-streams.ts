import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNonMember } from '#adapters/http/auth/public-access.ts';
import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { StreamKind, StreamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { encodeEvent, encodeGreeting } from './encode-event.ts';
import { EventStream } from './event-stream.ts';

export interface StreamLimits {
  /** Open at a time: of one account, of one address, of this process. */
  perAccount: number;
  perAddress: number;
  total: number;
  /** Of these, for strangers: of one address, of this process. */
  publicPerAddress: number;
  publicTotal: number;
  /** How often rights are looked at again. */
  recheckMs: number;
  heartbeatMs: number;
  /** For so long a write may wait for its reader. */
  maxWaitMs: number;
}

/** An address may be a whole office, or a proxy that is not trusted to name others. */
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
   * Begins one check of all streams. The answer throws the problem if the sender of a request may no longer
   * read what it asked for; it looks each credential up once.
   */
  checkRights: () => (request: FastifyRequest) => Promise<void>;
  /** Called as often as rights are looked at. */
  tended: () => void;
}

interface Open {
  kind: StreamKind;
  stream: EventStream;
  request: FastifyRequest;
  /** Under what it is counted. */
  counted: string[];
}

/** All streams of this process: their number, their rights, their life and their end. */
export class OpenStreams {
  readonly #parts: Parts;
  readonly #open = new Set<Open>();
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #tending = false;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.metrics?.watch(() => [...this.#open].map(({ kind, stream: { waits } }) => ({ kind, waits })));
  }

  /** Answers with a stream; or throws the problem that there are too many. */
  answer(kind: StreamKind, request: FastifyRequest, reply: FastifyReply): EventStream {
    const counted = this.#refuse(request, isNonMember(request));
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...definedHeaders(reply), ...HEADERS });
    raw.socket?.setNoDelay(true);
    const open = { kind, stream: new EventStream(raw, performance.now()), request, counted };
    this.#count(open, 1);
    this.#open.add(open);
    const gone = (): void => {
      this.#open.delete(open);
      this.#count(open, -1);
      this.#parts.metrics?.ended(kind, open.stream.endedBy);
      if (this.#open.size === 0) this.#rest();
      open.stream.gone();
    };
    // Who went away before has been told of already.
    if (raw.closed) queueMicrotask(gone);
    else raw.once('close', gone);
    // Readers that are cut off together do not come back together.
    open.stream.write(encodeGreeting(1000 + Math.random() * 2000));
    // Whoever asks for the headers alone gets no stream that stays.
    if (this.#closed || request.method === 'HEAD') open.stream.end(this.#closed ? 'stop' : 'over');
    else this.#timer ??= setInterval(() => void this.#tend(), this.#parts.limits.recheckMs);
    return open.stream;
  }

  /** Ends all of them: readers come back, to another replica. */
  close(): void {
    this.#closed = true;
    this.#rest();
    for (const { stream } of this.#open) stream.end('stop');
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Under what one more would be counted, if there is room for it. */
  #refuse(request: FastifyRequest, stranger: boolean): string[] {
    const { limits, metrics } = this.#parts;
    const rooms = roomsFor(request, stranger, limits);
    const full = rooms.find(({ key, most }) => (this.#counts.get(key) ?? 0) >= most);
    const by = full?.by ?? (this.#open.size >= limits.total ? 'process' : undefined);
    if (by === undefined) return rooms.map(({ key }) => key);
    metrics?.refused(by);
    throw by === 'account' || by === 'address' ? tooMany() : noRoom();
  }

  #count({ counted }: Open, by: number): void {
    for (const key of counted) {
      const count = (this.#counts.get(key) ?? 0) + by;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }

  async #tend(): Promise<void> {
    if (this.#tending) return;
    this.#tending = true;
    const now = performance.now();
    const { limits, tended, checkRights } = this.#parts;
    for (const { stream } of this.#open) stream.tend(now, limits);
    const checkAccess = checkRights();
    const open = [...this.#open].values();
    const checkNext = async (): Promise<void> => {
      for (const { stream, request } of open)
        if (!(await may(request, checkAccess))) stream.end('rights', NO_LONGER);
    };
    await Promise.all(Array.from({ length: MAX_CHECKS_AT_ONCE }, checkNext));
    tended();
    this.#tending = false;
  }
}

/** Of all connections to the database, those that checks of rights may take. */
export const MAX_CHECKS_AT_ONCE = 4;

async function may(
  request: FastifyRequest,
  checkAccess: (request: FastifyRequest) => Promise<void>,
): Promise<boolean> {
  try {
    await checkAccess(request);
    return true;
  } catch (error) {
    // While nobody can tell, nothing is taken away; nothing new can be read either.
    return !(error instanceof Problem);
  }
}

function tooMany(): Problem {
  return new Problem('too-many-requests', 'You follow too much at a time: close some of it.', {
    retry_after: 30,
  });
}

function noRoom(): Problem {
  return new Problem('unavailable', 'Too many follow something here at a time.');
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Of proxies that gather answers before they hand them on.
  'x-accel-buffering': 'no',
};

const NO_LONGER = encodeEvent({ name: 'closed', data: { reason: 'You may not read this any more.' } });

type Bound = Parameters<StreamMetrics['refused']>[0];

function roomsFor(
  { identity, ip }: FastifyRequest,
  stranger: boolean,
  limits: StreamLimits,
): { key: string; most: number; by: Bound }[] {
  const { perAccount, perAddress, publicPerAddress, publicTotal } = limits;
  const account =
    identity === undefined
      ? []
      : [{ key: `account ${identity.user}`, most: perAccount, by: 'account' as const }];
  const address = { key: `address ${ip}`, most: perAddress, by: 'address' as const };
  if (!stranger) return [...account, address];
  const among = {
    key: `strangers at ${addressGroup(ip)}`,
    most: publicPerAddress,
    by: 'address' as const,
  };
  return [...account, address, among, { key: 'strangers', most: publicTotal, by: 'strangers' }];
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  const entries = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
