import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import { defined } from '#defined';
import { isAllowed, rangesOf } from './addresses.ts';

export interface FetchOptions {
  /** Ranges that may be reached although they are not public. */
  allowedRanges?: readonly string[];
  /** Limit for a request with its redirects and body; 20 s by default. */
  timeoutMs?: number;
  /** Limit of a body; 256 KiB by default. */
  maxBytes?: number;
  /** Resolves names to addresses. Tests replace it. */
  resolve?: typeof lookup;
  /** Trusted certificates, instead of those of Node. */
  ca?: string;
}

export interface FetchRules {
  allowHttp?: boolean;
  /** The allowed hosts, with or without a port. Absent: any. */
  hosts?: readonly string[];
}

/** Why the fetch failed. `transient`: a later attempt may succeed. */
export interface FetchFailure {
  failure: string;
  transient: boolean;
}

type FetchAnswer = { bytes: Buffer } | FetchFailure;

export interface GuardedFetch {
  get(url: string, rules: FetchRules): Promise<FetchAnswer>;
  close(): Promise<void>;
}

export const MAX_REDIRECTS = 5;
export const MALFORMED_REDIRECT: FetchFailure = {
  failure: 'it redirects to a malformed URL',
  transient: false,
};

/**
 * Fetches URLs that users choose, by GET, from public addresses and the allowed ranges only. Checks the
 * address to which it opens the connection, so a name cannot resolve to another address after the check.
 * Follows redirects and checks each of them. Limits time and size.
 */
export function guardedFetch(options: FetchOptions = {}): GuardedFetch {
  const { agent, timeoutMs, isReachable } = guardedAgent(options);
  const limits = { maxBytes: options.maxBytes ?? 256 * 1024, isReachable };
  return {
    async get(url, rules) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await follow(new URL(url), { agent, rules, signal, ...limits });
      } catch (error) {
        return explainFetchFailure(error, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Opens connections only to addresses that may be reached. It checks the result of the DNS lookup. A host
 * that is an address is not looked up, so the caller must also check each URL with `refuseUrl`.
 */
export function guardedAgent(options: FetchOptions) {
  const allowed = rangesOf(options.allowedRanges ?? []);
  const timeoutMs = options.timeoutMs ?? 20_000;
  const isReachable = (address: string): boolean => isAllowed(address, allowed);
  const connect = {
    lookup: lookupReachable(isReachable, options.resolve ?? lookup),
    timeout: timeoutMs,
    ...defined({ ca: options.ca }),
  };
  return { agent: new Agent({ connect, pipelining: 0 }), timeoutMs, isReachable };
}

interface Attempt {
  agent: Agent;
  rules: FetchRules;
  signal: AbortSignal;
  maxBytes: number;
  isReachable: (address: string) => boolean;
}

async function follow(first: URL, attempt: Attempt): Promise<FetchAnswer> {
  let url = first;
  for (let redirectCount = 0; redirectCount <= MAX_REDIRECTS; redirectCount++) {
    const refusal = refuseUrl(url, attempt);
    if (refusal !== undefined) return { failure: refusal, transient: false };
    const { statusCode, headers, body } = await attempt.agent.request({
      ...requestTarget(url),
      method: 'GET',
      signal: attempt.signal,
      headers: { 'user-agent': 'millrace', accept: '*/*', 'accept-encoding': 'identity' },
    });
    const { location } = headers;
    if ([301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string') {
      discard(body);
      const target = URL.parse(location, url.href);
      if (target === null) return MALFORMED_REDIRECT;
      url = target;
    } else if (statusCode === 200) return await readBounded(body, attempt.maxBytes);
    else {
      discard(body);
      const transient = statusCode === 429 || statusCode >= 500;
      return { failure: `the server answered with status ${statusCode}`, transient };
    }
  }
  return { failure: `it redirects more than ${MAX_REDIRECTS} times`, transient: false };
}

/** Where `Agent.request` sends the request for this URL. */
export const requestTarget = ({ origin, pathname, search }: URL): { origin: string; path: string } => ({
  origin,
  path: `${pathname}${search}`,
});

/**
 * Returns why a URL may not be requested; undefined if it may. Also checks a host that is an address, because
 * the agent checks only addresses from DNS lookups.
 */
export function refuseUrl(
  url: URL,
  { rules, isReachable }: Pick<Attempt, 'rules' | 'isReachable'>,
): string | undefined {
  const { hostname, host, username, password } = url;
  const protocol = refuseProtocol(url, rules);
  if (protocol !== undefined) return protocol;
  if (username + password !== '') return 'it leads to a URL with a name or password in it';
  const { hosts = [host] } = rules;
  if (!hosts.includes(hostname) && !hosts.includes(host))
    return `the host ${host} is not among those that the team allows`;
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !isReachable(address) ? `${address} ${NOT_PUBLIC}` : undefined;
}

function refuseProtocol({ protocol }: URL, { allowHttp = false }: FetchRules): string | undefined {
  if (protocol === 'https:' || (protocol === 'http:' && allowHttp)) return undefined;
  return protocol === 'http:' ? 'only https is allowed here' : `it leads to ${protocol}//`;
}

const NOT_PUBLIC = 'is not a public address';

class NotPublic extends Error {}

function lookupReachable(isReachable: (address: string) => boolean, resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const reachable = addresses.filter(({ address }) => isReachable(address));
      const [firstReachable] = reachable;
      if (!firstReachable) return callback(new NotPublic(`the address of ${hostname} ${NOT_PUBLIC}`), '');
      return options.all === true
        ? callback(null, reachable)
        : callback(null, firstReachable.address, firstReachable.family);
    });
  };
}

/** Destroys the body without reading it, and ignores its errors. */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** Reads a whole body. A body of more than `maxBytes` is a failure. */
export async function readBounded(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  maxBytes: number,
): Promise<FetchAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return { failure: `it is longer than ${maxBytes / 1024} KiB`, transient: false };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}

export function explainFetchFailure(error: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted) return { failure: 'it took too long', transient: true };
  if (error instanceof NotPublic) return { failure: error.message, transient: false };
  const code = Error.isError(error) && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_INVALID_URL') return { failure: 'its URL is malformed', transient: false };
  if (code === 'UND_ERR_INVALID_ARG') return { failure: explainInvalidRequest(error), transient: false };
  const failure = FAILURES_BY_CODE[code] ?? `it cannot be reached (${code || String(error)})`;
  return { failure, transient: true };
}

/** Names the header, but never quotes a value, which may be a secret. */
function explainInvalidRequest(error: unknown): string {
  const header = Error.isError(error) ? /^invalid ([\w-]+) header$/.exec(error.message)?.[1] : undefined;
  if (header === undefined) return 'the request is malformed';
  return `the value of the header ${header} has a line break or another character that is not allowed`;
}

const FAILURES_BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  ECONNREFUSED: 'the host refuses connections',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
};
