import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { defined } from '#defined';
import { isAllowed, rangesOf } from './addresses.ts';

export interface FetchOptions {
  /** Ranges of addresses that may be reached though they are not public. */
  allowedRanges?: readonly string[];
  timeoutMs?: number;
  longestBytes?: number;
  /** How names become addresses; for tests. */
  resolve?: typeof lookup;
  /** Trusted beside those that Node trusts; for tests. */
  ca?: string;
}

export interface FetchRules {
  allowHttp?: boolean;
  /** Only these hosts; absent: any. */
  hosts?: readonly string[];
}

/** Why there is no answer; `transient`: it may be there if tried again. */
interface FetchFailure {
  failure: string;
  transient: boolean;
}

type FetchAnswer = { bytes: Buffer } | FetchFailure;

export interface GuardedFetch {
  get(url: string, rules: FetchRules): Promise<FetchAnswer>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;

/**
 * GET of URLs that users name: to public addresses only, looked at when the connection is made, so that no
 * name can lead elsewhere in between; each redirect is looked at anew; time and size are limited.
 */
export function guardedFetch(options: FetchOptions = {}): GuardedFetch {
  const { agent, timeoutMs, isReachable } = guardedAgent(options);
  const limits = { longest: options.longestBytes ?? 256 * 1024, isReachable };
  return {
    async get(url, rules) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await follow(new URL(url), { agent, rules, signal, ...limits });
      } catch (error) {
        return explain(error, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Connections to addresses that may be reached. Whoever uses it asks `refuse` about each URL before, since no
 * address is looked up.
 */
export function guardedAgent(options: FetchOptions) {
  const allowed = rangesOf(options.allowedRanges ?? []);
  const timeoutMs = options.timeoutMs ?? 20_000;
  const isReachable = (address: string): boolean => isAllowed(address, allowed);
  const connect = {
    lookup: checkingLookup(isReachable, options.resolve ?? lookup),
    timeout: timeoutMs,
    ...defined({ ca: options.ca }),
  };
  return { agent: new Agent({ connect, pipelining: 0 }), timeoutMs, isReachable };
}

interface Attempt {
  agent: Agent;
  rules: FetchRules;
  signal: AbortSignal;
  longest: number;
  isReachable: (address: string) => boolean;
}

async function follow(first: URL, attempt: Attempt): Promise<FetchAnswer> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const refused = refuse(url, attempt);
    if (refused !== undefined) return { failure: refused, transient: false };
    const { statusCode, headers, body } = await request(url, {
      dispatcher: attempt.agent,
      signal: attempt.signal,
      headers: { 'user-agent': 'millrace', accept: '*/*', 'accept-encoding': 'identity' },
    });
    const { location } = headers;
    if ([301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string') {
      discard(body);
      url = new URL(location, url);
    } else if (statusCode === 200) return await read(body, attempt.longest);
    else {
      discard(body);
      const transient = statusCode === 429 || statusCode >= 500;
      return { failure: `the server answered with status ${statusCode}`, transient };
    }
  }
  return { failure: `it redirects more than ${MAX_REDIRECTS} times`, transient: false };
}

/**
 * What can be said of a URL before anything is asked. A host that is an address is never looked up, so it is
 * looked at here.
 */
export function refuse(
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

function checkingLookup(isReachable: (address: string) => boolean, resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      const reachable = found.filter(({ address }) => isReachable(address));
      const [first] = reachable;
      if (!first) return callback(new NotPublic(`the address of ${hostname} ${NOT_PUBLIC}`), '');
      return options.all === true ? callback(null, reachable) : callback(null, first.address, first.family);
    });
  };
}

/** Nobody reads on: that the rest does not come is no error. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

export async function read(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  longest: number,
): Promise<FetchAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > longest) return { failure: `it is longer than ${longest / 1024} KiB`, transient: false };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}

function explain(error: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted) return { failure: 'it took too long', transient: true };
  if (error instanceof NotPublic) return { failure: error.message, transient: false };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const failure = SAID[code] ?? `it cannot be reached (${code || String(error)})`;
  return { failure, transient: true };
}

const SAID: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  ECONNREFUSED: 'the host refuses connections',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
};
