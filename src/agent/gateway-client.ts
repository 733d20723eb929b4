import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';

const REQUEST_LIMIT_MS = 30_000;
/** The gateway writes an empty line every 15 s. */
const SILENCE_LIMIT_MS = 45_000;
const ANSWER_LIMIT = 32 * 1024 * 1024;

/** The gateway no longer knows this session: another attempt took its place. */
export class SessionOver extends Error {
  override name = 'SessionOver';
}

export class GatewayError extends Error {
  override name = 'GatewayError';
}

/** The gateway cannot make sense of a request, and will not when it comes again. */
export class RequestRefused extends GatewayError {
  override name = 'RequestRefused';
}

const REFUSALS = [400, 413, 415, 422];

/** JSON over HTTPS to the internal gateway; knows nothing of retries. */
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

  /** The answer's JSON. `body` is JSON already. */
  async post(path: string, body: string): Promise<unknown> {
    const answer = await this.#post(path, body);
    const text = await readAll(answer);
    refuseStatus(path, answer.statusCode ?? 0, text);
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    return parsed;
  }

  /** Hands over each line of the answer, one JSON value, as it comes; a plain JSON answer is one line. */
  async postForLines(path: string, body: string, onLine: (line: unknown) => void): Promise<void> {
    const answer = await this.#post(path, body);
    if (answer.statusCode !== 200) refuseStatus(path, answer.statusCode ?? 0, await readAll(answer));
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line));
      if (rest.length > ANSWER_LIMIT)
        throw new GatewayError(`a line of more than ${ANSWER_LIMIT} characters`);
    }
    if (rest !== '') onLine(JSON.parse(rest));
  }

  #post(path: string, body: string): Promise<IncomingMessage> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${this.#key}`,
    };
    return this.#send({ path, method: 'POST', headers }, body);
  }

  /** Hands over lines until the stream ends, which it does by returning or by throwing. */
  async follow(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await this.#send({ path, method: 'GET', headers, signal });
    if (answer.statusCode !== 200) refuseStatus(path, answer.statusCode ?? 0, await readAll(answer));
    answer.socket.setTimeout(SILENCE_LIMIT_MS, () =>
      answer.destroy(new GatewayError('the commands fell silent')),
    );
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(options: RequestOptions, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        ...options,
        hostname: this.#gateway.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: this.#gateway.port,
        agent: this.#agent,
      });
      const limit = setTimeout(
        () => outgoing.destroy(new GatewayError('no answer in time')),
        this.#requestLimitMs,
      );
      outgoing.once('response', (answer) => {
        // Commands come as long as the work goes on; a refusal of them ends like any other answer.
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

/** Throws what a status other than 2xx means. */
export function refuseStatus(path: string, status: number, text: string): void {
  if (status === 401) throw new SessionOver(`the gateway answered 401 to ${path}`);
  if (status >= 200 && status <= 299) return;
  const message = `the gateway answered ${status} to ${path}: ${text.slice(0, 200)}`;
  throw REFUSALS.includes(status) ? new RequestRefused(message) : new GatewayError(message);
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > ANSWER_LIMIT) throw new GatewayError(`an answer of more than ${ANSWER_LIMIT} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
