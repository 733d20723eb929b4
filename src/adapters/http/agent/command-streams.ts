import type { ServerResponse } from 'node:http';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentCommand } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentApi } from './agent-api.ts';

const ALIVE_EVERY_MS = 15_000;
/** Streams per session: a new one and the one that it replaces, whose end may not be noticed yet. */
export const MAX_STREAMS_OF_SESSION = 2;

/**
 * The open responses to agents. Commands are sent at once; an empty line every 15 s shows that the connection
 * works.
 */
export class CommandStreams {
  readonly #api: Pick<AgentApi, 'applyEvents' | 'onCancelHint'>;
  readonly #metrics: AgentMetrics;
  readonly #failed: (error: unknown) => void;
  readonly #open = new Set<ServerResponse>();
  /** Oldest first. */
  readonly #ofSession = new Map<string, ServerResponse[]>();

  constructor(
    api: Pick<AgentApi, 'applyEvents' | 'onCancelHint'>,
    metrics: AgentMetrics,
    failed: (error: unknown) => void,
  ) {
    this.#api = api;
    this.#metrics = metrics;
    this.#failed = failed;
  }

  open(session: AgentSession, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#open.add(response);
    const name = JSON.stringify(session);
    const own = [...(this.#ofSession.get(name) ?? []), response];
    this.#ofSession.set(name, own);
    for (const replaced of own.slice(0, -MAX_STREAMS_OF_SESSION)) replaced.end();
    this.#metrics.streams(1);
    const alive = setInterval(() => response.write('\n'), ALIVE_EVERY_MS);
    const stop = session.kind === 'build' ? this.#followCancel(session, response) : () => {};
    response.once('close', () => {
      clearInterval(alive);
      stop();
      this.#open.delete(response);
      this.#remove(name, response);
      this.#metrics.streams(-1);
    });
  }

  #remove(name: string, response: ServerResponse): void {
    const left = (this.#ofSession.get(name) ?? []).filter((one) => one !== response);
    if (left.length === 0) this.#ofSession.delete(name);
    else this.#ofSession.set(name, left);
  }

  /** Agents connect again, to another replica. */
  closeAll(): void {
    for (const response of this.#open) response.end();
  }

  /** A notification is only a hint: at each one, and once at the start, the state is read. */
  #followCancel(session: AgentSession & { kind: 'build' }, response: ServerResponse): () => void {
    const check = (): void => {
      this.#sendCancel(session, response).catch(this.#failed);
    };
    check();
    return this.#api.onCancelHint(session.build, check);
  }

  async #sendCancel(session: AgentSession & { kind: 'build' }, response: ServerResponse): Promise<void> {
    const answer = await this.#api.applyEvents(session, []);
    if (answer === 'over') response.end();
    else if (answer.cancel) send(response, { command: 'cancel' });
  }
}

function send(response: ServerResponse, command: AgentCommand): void {
  if (response.writable) response.write(`${JSON.stringify(command)}\n`);
}
