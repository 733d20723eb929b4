import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type {
  CheckResult,
  CheckResultsRequest,
  EventsRequest,
  HookResult,
  SessionConfirmation,
  SessionRequest,
  SessionResponse,
} from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';

/** What befalls one request: an answer that is no answer, or one that is lost after the work was done. */
export type Mishap =
  'drop' | 'refuse' | 'answer-lost' | 'unauthorized' | 'not-understood' | { delay: number };

const REFUSALS = new Map<unknown, number>([
  ['refuse', 500],
  ['unauthorized', 401],
  ['not-understood', 400],
]);

/** A gateway that keeps what it hears in memory, for the agent's tests. */
export class FakeGateway {
  readonly sessions: SessionRequest[] = [];
  readonly events: BuildEvent[] = [];
  readonly results: CheckResult[] = [];
  readonly hooks: HookResult[] = [];
  checksDone = false;
  requests = 0;
  connections = 0;
  cancelled = false;
  url = '';
  /** Asked before each request is dealt with. */
  mishap: (path: string, count: number) => Mishap | undefined = () => undefined;
  /**
   * Given: the work is handed out at once, and the session confirmed, or refused with a status, when this
   * settles.
   */
  confirmation: Promise<SessionConfirmation> | undefined;
  readonly #answer: SessionResponse;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  #waiting: { test: () => boolean; resolve: () => void }[] = [];

  constructor(certificate: { key: string; cert: string }, answer: SessionResponse) {
    this.#answer = answer;
    this.#server = createServer(certificate, (request, response) => void this.#deal(request, response));
    this.#server.on('connection', () => {
      this.connections += 1;
      this.#look();
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.url = `https://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Cancels the build: by the stream, and by the answer to every report from now on. */
  cancel(): void {
    this.cancelled = true;
    for (const stream of this.#streams) stream.write('{"command":"cancel"}\n');
  }

  breakStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** All log text of one step. */
  log(step: string): string {
    return this.events
      .flatMap((event) => (event.type === 'log' && event.step === step ? [event.text] : []))
      .join('');
  }

  get end(): (BuildEvent & { type: 'build-ended' }) | undefined {
    return this.events.find((event) => event.type === 'build-ended');
  }

  ended(step: string): (BuildEvent & { type: 'step-ended' }) | undefined {
    return this.events.filter((event) => event.type === 'step-ended').find((event) => event.step === step);
  }

  /** Settles when what was heard makes this true. */
  when(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  async #deal(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.requests += 1;
    const mishap = this.mishap(path, this.requests);
    if (mishap === 'drop') {
      request.socket.destroy();
      return;
    }
    const body = await readJson(request);
    if (typeof mishap === 'object') await new Promise((resolve) => setTimeout(resolve, mishap.delay).unref());
    const refusal = REFUSALS.get(mishap) ?? (this.#knows(request) ? 0 : 401);
    if (refusal > 0) response.writeHead(refusal).end();
    else if (path === '/agent/v1/commands') this.#openStream(response);
    else if (path === '/agent/v1/session' && this.confirmation) await this.#confirmLater(response, body);
    else this.#reply(response, JSON.stringify(this.#take(path, body)), mishap === 'answer-lost');
    this.#look();
  }

  #reply(response: ServerResponse, answer: string, lost: boolean): void {
    if (lost) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  async #confirmLater(response: ServerResponse, body: unknown): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ ...this.#answer, provisional: true })}\n`);
    const confirmation = await this.confirmation;
    if (confirmation?.confirmed === true && isSession(body)) this.sessions.push(body);
    response.end(`${JSON.stringify(confirmation)}\n`);
  }

  #knows(request: IncomingMessage): boolean {
    if (request.url === '/agent/v1/session') return true;
    return this.sessions.some((session) => request.headers.authorization === `Bearer ${session.key}`);
  }

  #openStream(response: ServerResponse): void {
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(this.cancelled ? '{"command":"cancel"}\n' : '\n');
  }

  #take(path: string, body: unknown): unknown {
    if (path === '/agent/v1/session') {
      if (isSession(body)) this.sessions.push(body);
      return this.#answer;
    }
    if (areResults(body)) {
      this.results.push(...body.results);
      this.hooks.push(...(body.hooks ?? []));
      this.checksDone ||= body.done;
    }
    if (!areEvents(body)) return {};
    for (const event of body.events) {
      if (event.sequence === this.events.length + 1) this.events.push(event);
    }
    return { acknowledged: this.events.length, ...(this.cancelled ? { cancel: true } : {}) };
  }

  #look(): void {
    const due = this.#waiting.filter(({ test }) => test());
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }
}

function isSession(body: unknown): body is SessionRequest {
  return typeof body === 'object' && body !== null && 'key' in body;
}

function areResults(body: unknown): body is CheckResultsRequest {
  return typeof body === 'object' && body !== null && 'results' in body;
}

function areEvents(body: unknown): body is EventsRequest {
  return typeof body === 'object' && body !== null && 'events' in body;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
