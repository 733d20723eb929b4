import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseLifetime } from '#domain/access/session-lifetime.ts';
import { bytesOf } from '#domain/planning/quantity.ts';

export interface Address {
  host: string;
  port: number;
}

export type Configured<T> = { config: T; problems?: undefined } | { config?: undefined; problems: string[] };

/** Where values come from. Tests pass a source of their own. */
export interface Source {
  environment: Readonly<Record<string, string | undefined>>;
  readText(path: string): string;
}

const KEY_BYTES = 32;
/** The bits of an IP address, by IP version. */
const ADDRESS_BITS = new Map([
  [4, 32],
  [6, 128],
]);
const RANGE = /^(?<address>[\da-f.:]+)\/(?<bits>\d{1,3})$/i;
const POSTGRES = ['postgres:', 'postgresql:'];

/**
 * Reads values and collects what is wrong with them. What it returns for a wrong value is never used, because
 * `finish` then returns the problems instead.
 */
export class Reader {
  readonly #source: Source;
  readonly #problems: string[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  finish<T>(config: T): Configured<T> {
    return this.#problems.length === 0 ? { config } : { problems: this.#problems };
  }

  optional(name: string): string | undefined {
    const value = this.#source.environment[name]?.trim();
    return value === '' ? undefined : value;
  }

  required(name: string, meaning: string): string {
    const value = this.optional(name);
    if (value === undefined) this.#problems.push(`${name} is not set: set it to ${meaning}.`);
    return value ?? '';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.optional(name) ?? fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) this.#problems.push(`${name} is "${value}": use one of ${allowed.join(', ')}.`);
    return found ?? fallback;
  }

  /** Returns `{[key]: number}`. 0 and no value mean no limit: then the object has no field. */
  limit<Key extends string>(key: Key, name: string): Partial<Record<Key, number>> {
    const value = this.optional(name) ?? '0';
    if (!/^\d{1,5}$/.test(value))
      this.#problems.push(`${name} is "${value}": write a number from 0 to 99999.`);
    const limit: Partial<Record<Key, number>> = {};
    if (Number(value) > 0) limit[key] = Number(value);
    return limit;
  }

  /** Like `limit`, for an amount of bytes as Kubernetes writes it. */
  amount<Key extends string>(key: Key, name: string): Partial<Record<Key, string>> {
    const value = this.optional(name) ?? '0';
    const bytes = bytesOf(value);
    if (bytes === undefined)
      this.#problems.push(`${name} is "${value}": write an amount such as 512Mi or 2Gi, or 0.`);
    const amount: Partial<Record<Key, string>> = {};
    if (bytes !== undefined && bytes > 0) amount[key] = value;
    return amount;
  }

  address(name: string, fallback: string): Address {
    const value = this.optional(name) ?? fallback;
    const match = /^(?<host>\[[0-9a-f:.]+\]|[^:[\]]*):(?<port>\d{1,5})$/i.exec(value);
    const port = Number(match?.groups?.['port']);
    if (match === null || port > 65_535) {
      this.#problems.push(`${name} is "${value}": write host:port, for example ${fallback}.`);
      return { host: '', port: 0 };
    }
    const host = match.groups?.['host']?.replace(/^\[|\]$/g, '') ?? '';
    return { host: host === '' ? '0.0.0.0' : host, port };
  }

  /** Texts, separated by commas. */
  list(name: string): string[] {
    const texts = (this.optional(name) ?? '').split(',').map((text) => text.trim());
    return texts.filter((text) => text !== '');
  }

  /** Address ranges, separated by commas. */
  ranges(name: string): string[] {
    const ranges = this.list(name);
    for (const range of ranges) {
      const { address = '', bits } = RANGE.exec(range)?.groups ?? {};
      const maxBits = ADDRESS_BITS.get(isIP(address)) ?? -1;
      if (bits === undefined || Number(bits) > maxBits)
        this.#problems.push(`${name} has "${range}": write ranges like 10.1.0.0/16.`);
    }
    return ranges;
  }

  /**
   * Hosts with optional ports, separated by commas. Messages do not show a wrong entry, because it may be a
   * URL with a password.
   */
  hosts(name: string): string[] {
    const hosts = this.list(name);
    for (const [index, host] of hosts.entries()) {
      if (!/^[\w.-]+(?::\d{1,5})?$/.test(host))
        this.#problems.push(
          `Entry ${index + 1} of ${name} is not a host: write hosts like registry.example:5000.`,
        );
    }
    return hosts;
  }

  /** `0` or a duration like `24h`, `7d`, `1M`. */
  lifetime(name: string, fallback = '0'): number {
    const value = this.optional(name) ?? fallback;
    const seconds = parseLifetime(value);
    if (seconds === undefined) {
      this.#problems.push(`${name} is "${value}": write 0 or a duration like 24h, 7d, 2w, 1M or 1y.`);
    }
    return seconds ?? 0;
  }

  /** A URL without credentials. Messages do not show the value, because a wrong one may have a password. */
  url(name: string, protocols: string[], optional = false): string | undefined {
    const value = optional ? this.optional(name) : this.required(name, 'a URL');
    if (value === undefined || value === '') return undefined;
    const problem = urlProblem(URL.parse(value), protocols);
    if (problem !== undefined) this.#problems.push(`${name} ${problem}.`);
    return value.replace(/(?<!\/)\/+$/, '');
  }

  /** A URL of Postgres. Messages do not show it, because it may have a password. */
  secretUrl(name: string, optional = false): string | undefined {
    const value = this.#secret(name, optional);
    if (value !== undefined && !POSTGRES.includes(URL.parse(value)?.protocol ?? '')) {
      this.#problems.push(`${name} is not a URL like postgres://user:password@host:5432/database.`);
    }
    return value;
  }

  /** A secret that may be absent. Messages do not show it. */
  secret(name: string): string | undefined {
    return this.#secret(name, true);
  }

  /** A signing key, from a file in `MILLRACE_KEYS_DIR`. */
  key(file: string): Buffer {
    const directory = this.required('MILLRACE_KEYS_DIR', 'the directory with the signing keys');
    if (directory === '') return Buffer.alloc(0);
    const path = join(directory, file);
    const key = Buffer.from(this.#text(path, 'MILLRACE_KEYS_DIR') ?? '', 'base64url');
    if (key.length > 0 && key.length < KEY_BYTES) {
      this.#problems.push(
        `${path} holds ${key.length} bytes: a key needs ${KEY_BYTES}, written as base64url.`,
      );
    }
    return key;
  }

  #secret(name: string, optional: boolean): string | undefined {
    const direct = this.optional(name);
    const path = this.optional(`${name}_FILE`);
    if (direct !== undefined && path !== undefined) {
      this.#problems.push(`${name} and ${name}_FILE are both set: keep one.`);
    }
    if (direct !== undefined) return direct;
    if (path !== undefined) return this.#text(path, `${name}_FILE`);
    if (!optional) this.#problems.push(`Neither ${name} nor ${name}_FILE is set: one must give the value.`);
    return undefined;
  }

  #text(path: string, name: string): string | undefined {
    try {
      const text = this.#source.readText(path).trim();
      if (text === '') this.#problems.push(`${path} (from ${name}) is empty.`);
      return text === '' ? undefined : text;
    } catch (error) {
      const code = Error.isError(error) && 'code' in error ? String(error.code) : 'error';
      this.#problems.push(`${path} (from ${name}) cannot be read (${code}).`);
      return undefined;
    }
  }
}

function urlProblem(url: URL | null, protocols: readonly string[]): string | undefined {
  if (url === null || !protocols.includes(url.protocol))
    return `is not a URL like ${protocols.map((protocol) => `${protocol}//…`).join(' or ')}`;
  return url.username + url.password === '' ? undefined : 'has a name or password in it: remove it';
}
