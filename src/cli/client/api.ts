import { CommandError } from '#cli/terminal.ts';
import { VERSION } from '#config';
import { ProblemError, type RequestContext } from './problem-error.ts';
import { toUnreachable, Unreachable } from './unreachable.ts';

/**
 * Time limit for a request, and for the wait for each chunk of a log. Event streams have no limit here.
 */
const TIMEOUT_MS = 30_000;
/** No JSON response of a gateway is longer. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ClientResponse<T> {
  status: number;
  data: T;
  /** Whether more rows of a list follow. */
  hasMore: boolean;
}

/** Joins path segments. Encodes each, and refuses those that could change the path, such as `..`. */
export function requestPath(...segments: string[]): string {
  const invalid = segments.find((segment) => ['', '.', '..'].includes(segment) || segment.includes('/'));
  if (invalid !== undefined)
    throw new CommandError(
      `${JSON.stringify(invalid)} is not a valid name: a name is not empty, has no slash, and is neither . nor ..`,
    );
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Sends requests to a gateway with the user's token. Throws errors whose messages are for people. */
export class Api {
  readonly #context: RequestContext;
  readonly #token: string | undefined;

  constructor(context: RequestContext, token: string | undefined) {
    // `fetch` would refuse the header with an error that quotes the token.
    if (token !== undefined && !isToken(token))
      throw new CommandError(
        `the token ${context.tokenOrigin} contains characters that no token has, such as spaces or a second line: copy it again`,
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

  /** Sends a request and returns its response with the decoded data. */
  async ask<T>(method: Method, path: string, body?: unknown): Promise<ClientResponse<T>> {
    const response = await this.#fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const envelope: { data?: T; has_more?: boolean } = await this.#json(response);
    const { data, has_more: hasMore = false } = envelope;
    if (data === undefined) throw this.#notMillrace('JSON without data');
    return { status: response.status, data, hasMore };
  }

  /** Sends a request and ignores the body of the response. Returns the status. */
  async send(method: Method, path: string, body?: unknown): Promise<number> {
    const response = await this.#fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  }

  /**
   * Streams a text of any length. Fails if the server sends nothing for `TIMEOUT_MS`. The caller may read
   * slowly.
   */
  async *download(path: string): AsyncGenerator<string> {
    const abort = new AbortController();
    const startTimer = () => setTimeout(() => abort.abort(), TIMEOUT_MS);
    let silenceTimer = startTimer();
    try {
      const response = await this.#fetch(path, { headers: { accept: 'text/plain' }, signal: abort.signal });
      if (mediaTypeOf(response) !== 'text/plain') throw this.#notMillrace(mediaTypeOf(response));
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        clearTimeout(silenceTimer);
        yield decoder.decode(chunk, { stream: true });
        silenceTimer = startTimer();
      }
      clearTimeout(silenceTimer);
      yield decoder.decode();
    } catch (error) {
      throw error instanceof CommandError ? error : toUnreachable(this.url, error);
    } finally {
      clearTimeout(silenceTimer);
      abort.abort();
    }
  }

  /** Streams an endless response; `signal` ends it. */
  async stream(
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#fetch(path, {
      headers: { accept: 'text/event-stream', ...headers },
      signal,
    });
    const { body } = response;
    if (body !== null && mediaTypeOf(response) === 'text/event-stream') return body;
    throw this.#notMillrace(mediaTypeOf(response));
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    const response = await this.#send(path, request);
    if (response.ok) return response;
    if (response.status >= 300 && response.status < 400) {
      const target = URL.parse(response.headers.get('location') ?? '', this.url)?.origin;
      const hint =
        target === undefined || target === this.url ? '' : ` to ${target}: use that address as the server`;
      throw new Unreachable(`${this.url} redirects${hint}`);
    }
    const isProblem = /\bjson$/.test(mediaTypeOf(response));
    const document: Record<string, unknown> = isProblem ? Object(await this.#json(response)) : {};
    throw new ProblemError(response.status, document, this.#context);
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

  async #json(response: Response) {
    if (!/\bjson$/.test(mediaTypeOf(response))) throw this.#notMillrace(mediaTypeOf(response));
    const text = await this.#text(response);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#notMillrace('invalid JSON');
    }
  }

  async #text(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) throw this.#notMillrace(`more than ${MAX_RESPONSE_BYTES} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw error instanceof CommandError ? error : toUnreachable(this.url, error);
    }
    return Buffer.concat(chunks).toString();
  }

  #notMillrace(content: string): Unreachable {
    return new Unreachable(
      `${this.url} does not answer like a Millrace gateway: it sent ${content}. Check the address.`,
    );
  }
}

function mediaTypeOf(response: Response): string {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
}
