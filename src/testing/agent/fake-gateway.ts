import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Value } from 'typebox/value';
import { DebugBody, EventsBody } from '#adapters/http/agent/messages.ts';
import type {
  AgentWork,
  CheckResult,
  CheckResultsRequest,
  DebugExchange,
  DebugWork,
  EventsRequest,
  HookResult,
  IdentityTokensRequest,
  IdentityTokensResponse,
  SecretsRequest,
  SecretsResponse,
  SessionConfirmation,
  SessionRequest,
} from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { findOperation } from '#domain/planning/operations.ts';

/**
 * How one request fails. The gateway closes the connection before (`drop`) or after (`answer-lost`) it
 * handles the request, handles it after a `delay` in milliseconds, or answers with the status in `REFUSALS`.
 */
export type RequestFailure =
  | 'drop'
  | 'refuse'
  | 'answer-lost'
  | 'unauthorized'
  | 'not-understood'
  | { delay: number };

const REFUSALS = new Map<unknown, number>([
  ['refuse', 500],
  ['unauthorized', 401],
  ['not-understood', 400],
]);

/** A gateway for the agent's tests, which stores in memory what the agent reports. */
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
  /** Called before each request is handled. `count` numbers all requests from 1. Undefined: no failure. */
  failure: (path: string, count: number) => RequestFailure | undefined = () => undefined;
  /**
   * If set, a request for a session gets its work at once, and its confirmation when this promise resolves.
   */
  confirmation: Promise<SessionConfirmation> | undefined;
  /** If true, the Pod is warm: its agent gets the work in the stream of work once `takePod` was called. */
  isWarm = false;
  /** Operations whose secrets were fetched, in order. */
  readonly fetched: string[] = [];
  /** Answers a request for the secrets of an operation. */
  secrets: (operation: string, given: SecretsRequest['given']) => SecretsResponse = (operation) =>
    this.#plannedSecrets(operation);
  /** Answers a request for the identity tokens of a step. */
  identity: (request: IdentityTokensRequest) => IdentityTokensResponse = () => ({ refused: 'no identity' });
  readonly identityRequests: IdentityTokensRequest[] = [];
  /** Answers a report of the agent about shells. */
  debug: (exchange: DebugExchange) => DebugWork = () => ({ sessions: [] });
  readonly #work: AgentWork;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #taken = Promise.withResolvers<void>();
  #waiting: { test: () => boolean; resolve: () => void }[] = [];

  constructor(certificate: { key: string; cert: string }, answer: AgentWork) {
    this.#work = answer;
    this.#server = createServer(certificate, (request, response) => void this.#handle(request, response));
    this.#server.on('connection', () => {
      this.connections += 1;
      this.#resolveWaiting();
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

  /** Cancels the build through the command streams and in the answers to later events. */
  cancel(): void {
    this.cancelled = true;
    for (const stream of this.#streams) stream.write('{"command":"cancel"}\n');
  }

  /** A build takes the warm Pod. */
  takePod(): void {
    this.#taken.resolve();
  }

  /** Tells the agent to ask for the input of its shells. */
  callForShells(): void {
    for (const stream of this.#streams) stream.write('{"command":"debug"}\n');
  }

  get streams(): number {
    return this.#streams.size;
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

  /** How a step ended; undefined while it runs. */
  endOf(step: string): (BuildEvent & { type: 'step-ended' }) | undefined {
    return this.events.filter((event) => event.type === 'step-ended').find((event) => event.step === step);
  }

  /** All ends of one step: several if its group is repeated. */
  endsOf(step: string): (BuildEvent & { type: 'step-ended' })[] {
    return this.events.filter((event) => event.type === 'step-ended').filter((event) => event.step === step);
  }

  /** The attempts with which a step started. */
  startedAttempts(step: string): (number | undefined)[] {
    return this.#started().flatMap((event) => (event.step === step ? [event.attempt] : []));
  }

  /** The steps in the order of their starts. */
  startedSteps(): string[] {
    return this.#started().map(({ step }) => step);
  }

  #started(): (BuildEvent & { type: 'step-started' })[] {
    return this.events.filter((event) => event.type === 'step-started');
  }

  /** Resolves when `test` returns true. The gateway calls `test` after each request and new connection. */
  when(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.requests += 1;
    const failure = this.failure(path, this.requests);
    if (failure === 'drop') {
      request.socket.destroy();
      return;
    }
    const body = await readJson(request);
    if (typeof failure === 'object')
      await new Promise((resolve) => setTimeout(resolve, failure.delay).unref());
    const refusal =
      REFUSALS.get(failure) ?? (this.#isAuthorized(request) ? refusalStatusOf(path, body) : 401);
    if (refusal > 0) response.writeHead(refusal).end();
    else if (request.method === 'GET') await this.#stream(path, response);
    else if (path === '/agent/v1/session' && this.confirmation) await this.#confirmLater(response, body);
    else this.#reply(response, JSON.stringify(this.#respond(path, body)), failure === 'answer-lost');
    this.#resolveWaiting();
  }

  #respond(path: string, body: unknown): unknown {
    if (isDebugExchange(body)) return this.debug(body);
    if (!isIdentityRequest(body)) return this.#handleReport(path, body);
    this.identityRequests.push(body);
    return this.identity(body);
  }

  #reply(response: ServerResponse, answer: string, isLost: boolean): void {
    if (isLost) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  async #confirmLater(response: ServerResponse, body: unknown): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ ...this.#work, provisional: true })}\n`);
    const confirmation = await this.confirmation;
    if (confirmation?.confirmed === true && isSession(body)) this.sessions.push(body);
    response.end(`${JSON.stringify(confirmation)}\n`);
  }

  async #sendWork(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('\n');
    await this.#taken.promise;
    response.end(`${JSON.stringify(this.#work)}\n`);
  }

  #isAuthorized(request: IncomingMessage): boolean {
    if (request.url === '/agent/v1/session') return true;
    return this.sessions.some((session) => request.headers.authorization === `Bearer ${session.key}`);
  }

  async #stream(path: string, response: ServerResponse): Promise<void> {
    if (path === '/agent/v1/commands') this.#openStream(response);
    else await this.#sendWork(response);
  }

  #openStream(response: ServerResponse): void {
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(this.cancelled ? '{"command":"cancel"}\n' : '\n');
  }

  #handleReport(path: string, body: unknown): unknown {
    if (path === '/agent/v1/session') {
      if (isSession(body)) this.sessions.push(body);
      return this.isWarm ? { work: 'wait' } : this.#work;
    }
    if (isCheckResults(body)) this.#recordChecks(body);
    if (isSecretsRequest(body)) {
      this.fetched.push(body.operation);
      return this.secrets(body.operation, body.given);
    }
    if (!isEventsRequest(body)) return {};
    for (const event of body.events) {
      if (event.sequence === this.events.length + 1) this.events.push(event);
    }
    return { acknowledged: this.events.length, ...(this.cancelled ? { cancel: true } : {}) };
  }

  #recordChecks({ results, hooks = [], done }: CheckResultsRequest): void {
    this.results.push(...results);
    this.hooks.push(...hooks);
    this.checksDone ||= done;
  }

  /** Variables named `SECRET…` are the secrets of an operation. */
  #plannedSecrets(id: string): SecretsResponse {
    const work = this.#work.work === 'build' ? this.#work.plan : this.#work.run;
    const operation = findOperation(work, id);
    if (operation === undefined) return { answer: 'wait', reason: `There is no operation ${id}.` };
    const env = 'env' in operation ? operation.env : {};
    const masks = Object.entries(env).flatMap(([name, value]) => (name.startsWith('SECRET') ? [value] : []));
    return { answer: 'filled', operation, masks };
  }

  #resolveWaiting(): void {
    const due = this.#waiting.filter(({ test }) => test());
    this.#waiting = this.#waiting.filter((waiting) => !due.includes(waiting));
    for (const { resolve } of due) resolve();
  }
}

function isSession(body: unknown): body is SessionRequest {
  return typeof body === 'object' && body !== null && 'key' in body;
}

function isIdentityRequest(body: unknown): body is IdentityTokensRequest {
  return typeof body === 'object' && body !== null && 'step' in body;
}

function isDebugExchange(body: unknown): body is DebugExchange {
  return typeof body === 'object' && body !== null && 'sessions' in body;
}

function isCheckResults(body: unknown): body is CheckResultsRequest {
  return typeof body === 'object' && body !== null && 'results' in body;
}

function isSecretsRequest(body: unknown): body is SecretsRequest {
  return typeof body === 'object' && body !== null && 'operation' in body;
}

function isEventsRequest(body: unknown): body is EventsRequest {
  return typeof body === 'object' && body !== null && 'events' in body;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

/** 400 if the body does not match the real gateway's schema for events or shells, otherwise 0. */
function refusalStatusOf(path: string, body: unknown): number {
  if (path === '/agent/v1/debug') return Value.Check(DebugBody, body) ? 0 : 400;
  return path !== '/agent/v1/events' || Value.Check(EventsBody, body) ? 0 : 400;
}
