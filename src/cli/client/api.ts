import { CommandError } from '#cli/terminal.ts';
import { VERSION } from '#config';
import { ProblemError, type RequestContext } from './problem-error.ts';
import { toUnreachable, Unreachable } from './unreachable.ts';

/** Longer than any response but a log takes. */
const TIMEOUT_MS = 30_000;
/** Longer than any response but a log. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ClientResponse<T> {
  status: number;
  data: T;
  /** Whether more rows of a list follow. */
  hasMore: boolean;
}

/** Joins path segments. Each is encoded, so none can change the path. */
export function requestPath(...segments: string[]): string {
  const wrong = segments.find((segment) => ['', '.', '..'].includes(segment) || segment.includes('/'));
  if (wrong !== undefined) throw new CommandError(`${JSON.stringify(wrong)} is not a valid name`);
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Requests to a gateway with the token of the user. Throws a sentence for people for every failure. */
export class Api {
  readonly #context: RequestContext;
  readonly #token: string | undefined;

  constructor(context: RequestContext, token: string | undefined) {
    // The error of `fetch` for such a header would quote the token.
    if (token !== undefined && !isToken(token))
      throw new CommandError(
        `the token ${context.token} contains characters that no token has, such as spaces or a second line`,
      );
    this.#context = context;
    this.#token = token;
  }

  get url(): string {
    return this.#context.url;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.ask<T>('GET', path)).data;
  }

  async ask<T>(method: Method, path: string, body?: unknown): Promise<ClientResponse<T>> {
    const answer = await this.#fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const read: { data?: T; has_more?: boolean } = await this.#json(answer);
    const { data, has_more: hasMore = false } = read;
    if (data === undefined) throw this.#notMillrace('JSON without data');
    return { status: answer.status, data, hasMore };
  }

  /** For a request whose response has no body of interest. Returns the status. */
  async send(method: Method, path: string, body?: unknown): Promise<number> {
    const answer = await this.#fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.status;
  }

  /**
   * Streams a text of any length. Fails if nothing arrives for `TIMEOUT_MS`; the reader may take any time.
   */
  async *download(path: string): AsyncGenerator<string> {
    const stop = new AbortController();
    const wait = () => setTimeout(() => stop.abort(), TIMEOUT_MS);
    let silence = wait();
    try {
      const answer = await this.#fetch(path, { headers: { accept: 'text/plain' }, signal: stop.signal });
      if (typeOf(answer) !== 'text/plain') throw this.#notMillrace(typeOf(answer));
      const decoder = new TextDecoder();
      for await (const part of answer.body ?? []) {
        clearTimeout(silence);
        yield decoder.decode(part, { stream: true });
        silence = wait();
      }
      clearTimeout(silence);
      yield decoder.decode();
    } catch (error) {
      throw error instanceof CommandError ? error : toUnreachable(this.url, error);
    } finally {
      clearTimeout(silence);
      stop.abort();
    }
  }

  /** Streams an endless response; `signal` ends it. */
  async stream(
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#fetch(path, { headers: { accept: 'text/event-stream', ...headers }, signal });
    const { body } = answer;
    if (body !== null && typeOf(answer) === 'text/event-stream') return body;
    throw this.#notMillrace(typeOf(answer));
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    const answer = await this.#send(path, request);
    if (answer.ok) return answer;
    if (answer.status >= 300 && answer.status < 400) {
      const to = URL.parse(answer.headers.get('location') ?? '', this.url)?.origin;
      const cure = to === undefined || to === this.url ? '' : ` to ${to}: use that address as the server`;
      throw new Unreachable(`${this.url} redirects${cure}`);
    }
    const isProblem = /\bjson$/.test(typeOf(answer));
    const document: Record<string, unknown> = isProblem ? Object(await this.#json(answer)) : {};
    throw new ProblemError(answer.status, document, this.#context);
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('user-agent', `millrace/${VERSION}`);
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      // A redirect could send the token to another host.
      return await fetch(`${this.url}${path}`, { ...request, headers, redirect: 'manual' });
    } catch (error) {
      throw toUnreachable(this.url, error);
    }
  }

  async #json(answer: Response) {
    if (!/\bjson$/.test(typeOf(answer))) throw this.#notMillrace(typeOf(answer));
    const text = await this.#text(answer);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#notMillrace('invalid JSON');
    }
  }

  async #text(answer: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const part of answer.body ?? []) {
        size += part.length;
        if (size > MAX_RESPONSE_BYTES) throw this.#notMillrace(`more than ${MAX_RESPONSE_BYTES} bytes`);
        parts.push(part);
      }
    } catch (error) {
      throw error instanceof CommandError ? error : toUnreachable(this.url, error);
    }
    return Buffer.concat(parts).toString();
  }

  #notMillrace(what: string): Unreachable {
    return new Unreachable(
      `${this.url} does not answer like a Millrace gateway: it sent ${what}. Check the address.`,
    );
  }
}

function typeOf(answer: Response): string {
  return answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
}
