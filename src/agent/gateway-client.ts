import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';

const REQUEST_LIMIT_MS = 30_000;
/** A stream without data for this long counts as broken: the gateway writes an empty line every 15 s. */
const SILENCE_LIMIT_MS = 45_000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * The gateway answered 401: it does not accept the session of this agent, mostly because another attempt has
 * replaced it or its work is closed.
 */
export class SessionOver extends Error {
  override name = 'SessionOver';
}

export class GatewayError extends Error {
  override name = 'GatewayError';
}

/** The gateway refused a request that no retry can fix. */
export class RequestRefused extends GatewayError {
  override name = 'RequestRefused';
}

/** HTTP statuses that the same request would get again. */
const FINAL_STATUSES = [400, 413, 415, 422];

/** Sends JSON over HTTPS to the internal gateway. It does not retry. */
export class GatewayClient {
  readonly #gateway: URL;
  readonly #agent: Agent;
  readonly #key: string;
  readonly #requestLimitMs: number;

  constructor(
    gateway: URL,
    certificateAuthority: string,
    key: string,
    requestLimitMs: number = REQUEST_LIMIT_MS,
  ) {
    this.#gateway = gateway;
    this.#key = key;
    this.#requestLimitMs = requestLimitMs;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca: certificateAuthority });
  }

  /** Sends `body`, which is JSON text. Returns the parsed response. */
  async post(path: string, body: string | Buffer): Promise<unknown> {
    const answer = await this.#post(path, body);
    const text = await readAll(answer);
    throwForStatus(path, answer.statusCode ?? 0, text);
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    return parsed;
  }

  /**
   * Calls `onLine` with each line of the response as it arrives, parsed as JSON. A plain JSON response is one
   * line.
   */
  async postForLines(path: string, body: string, onLine: (line: unknown) => void): Promise<void> {
    const answer = await this.#post(path, body);
    if (answer.statusCode !== 200) throwForStatus(path, answer.statusCode ?? 0, await readAll(answer));
    let unfinished = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (unfinished + String(chunk)).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line));
      if (unfinished.length > MAX_RESPONSE_BYTES)
        throw new GatewayError(`the gateway sent a line of more than ${MAX_RESPONSE_BYTES} characters`);
    }
    if (unfinished !== '') onLine(JSON.parse(unfinished));
  }

  #post(path: string, body: string | Buffer): Promise<IncomingMessage> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${this.#key}`,
    };
    return this.#send({ path, method: 'POST', headers }, body);
  }

  /** Calls `onLine` with each line until the stream ends. Throws if the stream breaks. */
  async follow(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await this.#send({ path, method: 'GET', headers, signal });
    if (answer.statusCode !== 200) throwForStatus(path, answer.statusCode ?? 0, await readAll(answer));
    answer.socket.setTimeout(SILENCE_LIMIT_MS, () =>
      answer.destroy(new GatewayError(`the gateway sent nothing for ${SILENCE_LIMIT_MS / 1000} s`)),
    );
    let unfinished = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (unfinished + String(chunk)).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(options: RequestOptions, body?: string | Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        ...options,
        hostname: this.#gateway.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: this.#gateway.port,
        agent: this.#agent,
      });
      const limit = setTimeout(
        () =>
          outgoing.destroy(
            new GatewayError(`the gateway did not answer within ${this.#requestLimitMs / 1000} s`),
          ),
        this.#requestLimitMs,
      );
      outgoing.once('response', (answer) => {
        // The streams of commands and of work stay open, so they have no time limit. Other responses have
        // one.
        if (options.method === 'GET' && answer.statusCode === 200) clearTimeout(limit);
        else answer.once('close', () => clearTimeout(limit));
        resolve(answer);
      });
      outgoing.once('error', (error) => {
        clearTimeout(limit);
        reject(error);
      });
      outgoing.end(body);
    });
  }
}

/** Throws the error for a status other than 2xx. */
export function throwForStatus(path: string, status: number, text: string): void {
  if (status === 401) throw new SessionOver(`the gateway answered 401 to ${path}`);
  if (status >= 200 && status <= 299) return;
  const message = `the gateway answered ${status} to ${path}: ${text.slice(0, 200)}`;
  throw FINAL_STATUSES.includes(status) ? new RequestRefused(message) : new GatewayError(message);
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MAX_RESPONSE_BYTES)
      throw new GatewayError(`the gateway sent more than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
