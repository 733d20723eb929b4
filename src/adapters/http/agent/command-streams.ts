import type { ServerResponse } from 'node:http';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentCommand } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentFlows, BuildHints } from './agent-flows.ts';

const ALIVE_EVERY_MS = 15_000;
/** Streams per session: a new one and the one that it replaces, whose end may not be noticed yet. */
export const MAX_STREAMS_OF_SESSION = 2;

interface CommandStreamsParts {
  flows: Pick<AgentFlows, 'followBuild'>;
  cancels: BuildHints;
  /** A shell of a person has something for its agent. */
  debugs: BuildHints;
  metrics: AgentMetrics;
  failed: (error: unknown) => void;
}

/**
 * The open responses to agents. Commands are sent at once; an empty line every 15 s shows that the connection
 * works.
 */
export class CommandStreams {
  readonly #parts: CommandStreamsParts;
  readonly #open = new Set<ServerResponse>();
  /** Oldest first. */
  readonly #ofSession = new Map<string, ServerResponse[]>();

  constructor(parts: CommandStreamsParts) {
    this.#parts = parts;
  }

  open(session: AgentSession, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#open.add(response);
    const name = JSON.stringify(session);
    const own = [...(this.#ofSession.get(name) ?? []), response];
    this.#ofSession.set(name, own);
    for (const replaced of own.slice(0, -MAX_STREAMS_OF_SESSION)) replaced.end();
    this.#parts.metrics.streams(1);
    const alive = setInterval(() => response.write('\n'), ALIVE_EVERY_MS);
    const stop = session.kind === 'build' ? this.#followBuild(session, response) : () => {};
    response.once('close', () => {
      clearInterval(alive);
      stop();
      this.#open.delete(response);
      this.#remove(name, response);
      this.#parts.metrics.streams(-1);
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

  #followBuild(session: AgentSession & { kind: 'build' }, response: ServerResponse): () => void {
    const stopCancel = this.#followCancel(session, response);
    const stopDebug = this.#parts.debugs.on(session.build, () => send(response, { command: 'debug' }));
    return () => {
      stopCancel();
      stopDebug();
    };
  }

  /** A notification is only a hint: at each one, and once at the start, the state is read. */
  #followCancel(session: AgentSession & { kind: 'build' }, response: ServerResponse): () => void {
    const check = (): void => {
      this.#sendCancel(session, response).catch(this.#parts.failed);
    };
    check();
    return this.#parts.cancels.on(session.build, check);
  }

  async #sendCancel(session: AgentSession & { kind: 'build' }, response: ServerResponse): Promise<void> {
    const answer = await this.#parts.flows.followBuild(session, []);
    if (answer === 'over') response.end();
    else if (answer.cancel) send(response, { command: 'cancel' });
  }
}

function send(response: ServerResponse, command: AgentCommand): void {
  if (response.writable) response.write(`${JSON.stringify(command)}\n`);
}
