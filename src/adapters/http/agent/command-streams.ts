import type { ServerResponse } from 'node:http';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentCommand } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentFlows, BuildHints } from './agent-flows.ts';

const KEEP_ALIVE_MS = 15_000;
/**
 * How many streams a session may have: a new one, and the one that it replaces, because the server may not
 * have noticed yet that the old one has ended.
 */
export const MAX_STREAMS_OF_SESSION = 2;

interface CommandStreamsParts {
  flows: Pick<AgentFlows, 'followBuild'>;
  /** Notifies that a build may have been cancelled. */
  cancels: BuildHints;
  /** Notifies that a person's shell has something for the agent of its build. */
  debugs: BuildHints;
  metrics: AgentMetrics;
  failed: (error: unknown) => void;
}

/**
 * The open responses over which the server sends commands to agents. Commands are sent at once; an empty line
 * every 15 s shows that the connection works.
 */
export class CommandStreams {
  readonly #parts: CommandStreamsParts;
  readonly #open = new Set<ServerResponse>();
  /** Streams by session, oldest first. */
  readonly #bySession = new Map<string, ServerResponse[]>();

  constructor(parts: CommandStreamsParts) {
    this.#parts = parts;
  }

  open(session: AgentSession, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#open.add(response);
    const sessionKey = JSON.stringify(session);
    const streamsOfSession = [...(this.#bySession.get(sessionKey) ?? []), response];
    this.#bySession.set(sessionKey, streamsOfSession);
    for (const replaced of streamsOfSession.slice(0, -MAX_STREAMS_OF_SESSION)) replaced.end();
    this.#parts.metrics.streams(1);
    const keepAlive = setInterval(() => response.write('\n'), KEEP_ALIVE_MS);
    const stop = session.kind === 'build' ? this.#followBuild(session, response) : () => {};
    response.once('close', () => {
      clearInterval(keepAlive);
      stop();
      this.#open.delete(response);
      this.#remove(sessionKey, response);
      this.#parts.metrics.streams(-1);
    });
  }

  #remove(sessionKey: string, response: ServerResponse): void {
    const remaining = (this.#bySession.get(sessionKey) ?? []).filter((stream) => stream !== response);
    if (remaining.length === 0) this.#bySession.delete(sessionKey);
    else this.#bySession.set(sessionKey, remaining);
  }

  /** Ends all streams. Their agents then connect to another replica. */
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

  /**
   * Sends the command to cancel if the build is to be cancelled. A notification is only a hint, so this reads
   * the state of the build at the start and at each notification.
   */
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
