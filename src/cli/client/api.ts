import { Misuse } from '#cli/terminal.ts';
import { VERSION } from '#config';
import { Refused, type Asked } from './refused.ts';
import { Unreachable, unreachable } from './unreachable.ts';

/** Longer than a gateway waits for anything but a log. */
const PATIENCE_MS = 30_000;
/** More than any answer has but a log. */
const LARGEST = 32 * 1024 * 1024;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Answer<T> {
  status: number;
  data: T;
  /** Of a list: there is more behind it. */
  hasMore: boolean;
}

/** A path of these segments. Names may hold anything, but none may lead elsewhere. */
export function pathOf(...segments: string[]): string {
  const wrong = segments.find((segment) => ['', '.', '..'].includes(segment) || segment.includes('/'));
  if (wrong !== undefined) throw new Misuse(`${JSON.stringify(wrong)} is not a valid name`);
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/**
 * A gateway, asked in the name of whoever holds the token. Every answer but the one that was asked for is
 * thrown, as a sentence.
 */
export class Api {
  readonly asked: Asked;
  readonly #token: string | undefined;

  constructor(asked: Asked, token: string | undefined) {
    // What refuses such a header would show it.
    if (token !== undefined && !isToken(token))
      throw new Misuse(
        `the token ${asked.token} contains characters that no token has, such as spaces or a second line`,
      );
    this.asked = asked;
    this.#token = token;
  }

  get url(): string {
    return this.asked.url;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.ask<T>('GET', path)).data;
  }

  async ask<T>(method: Method, path: string, body?: unknown): Promise<Answer<T>> {
    const answer = await this.#fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const read: { data?: T; has_more?: boolean } = await this.#json(answer);
    const { data, has_more: hasMore = false } = read;
    if (data === undefined) throw this.#strange('an answer without data');
    return { status: answer.status, data, hasMore };
  }

  /** For an answer that has nothing to say. */
  async tell(method: Method, path: string): Promise<void> {
    const answer = await this.#fetch(path, { method, signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.body?.cancel();
  }

  /** An answer without an end, piece by piece; `signal` ends it. */
  async stream(
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#fetch(path, { headers: { accept: 'text/event-stream', ...headers }, signal });
    const { body } = answer;
    if (body !== null && typeOf(answer) === 'text/event-stream') return body;
    throw this.#strange(typeOf(answer));
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    const answer = await this.#send(path, request);
    if (answer.ok) return answer;
    if (answer.status >= 300 && answer.status < 400) {
      const to = URL.parse(answer.headers.get('location') ?? '', this.url)?.origin;
      throw new Unreachable(
        `${this.url} redirects${to === undefined || to === this.url ? '' : ` to ${to}: use that address as the server`}`,
      );
    }
    const isProblem = /\bjson$/.test(typeOf(answer));
    const document: Record<string, unknown> = isProblem ? Object(await this.#json(answer)) : {};
    throw new Refused(answer.status, document, this.asked);
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('user-agent', `millrace/${VERSION}`);
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      // A redirection could carry the token elsewhere.
      return await fetch(`${this.url}${path}`, { ...request, headers, redirect: 'manual' });
    } catch (error) {
      throw unreachable(this.url, error);
    }
  }

  async #json(answer: Response) {
    if (!/\bjson$/.test(typeOf(answer))) throw this.#strange(typeOf(answer));
    const text = await this.#text(answer);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#strange('JSON that cannot be read');
    }
  }

  async #text(answer: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const part of answer.body ?? []) {
        size += part.length;
        if (size > LARGEST) throw this.#strange(`more than ${LARGEST} bytes`);
        parts.push(part);
      }
    } catch (error) {
      throw error instanceof Misuse ? error : unreachable(this.url, error);
    }
    return Buffer.concat(parts).toString();
  }

  #strange(what: string): Unreachable {
    return new Unreachable(`${this.url} sent ${what}, as no Millrace gateway does: check the address`);
  }
}

function typeOf(answer: Response): string {
  return answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
}
