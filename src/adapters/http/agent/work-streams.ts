import type { ServerResponse } from 'node:http';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentFlows, WarmHints } from './agent-flows.ts';
import type { Sessions } from './sessions.ts';

const KEEP_ALIVE_MS = 15_000;
/** How often the state is read without a notification, because notifications can be lost. */
const RECHECK_MS = 15_000;

interface WorkStreamsParts {
  flows: Pick<AgentFlows, 'beginWarmWork'>;
  sessions: Pick<Sessions, 'cache'>;
  warmPods: WarmHints;
  metrics: AgentMetrics;
  failed: (error: unknown) => void;
}

interface WaitingAgent {
  /** Row id of the warm Pod; 0 if a build has taken the Pod already. */
  warm: number;
  keyHash: string;
  architecture: string;
}

/**
 * The open responses to agents that wait for work. When a build takes the Pod, the server sends the work as
 * one line and ends the response.
 */
export class WorkStreams {
  readonly #parts: WorkStreamsParts;
  /** By the hash of the key of the agent. A new stream replaces the previous one. */
  readonly #open = new Map<string, ServerResponse>();

  constructor(parts: WorkStreamsParts) {
    this.#parts = parts;
  }

  open(agent: WaitingAgent, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#open.get(agent.keyHash)?.end();
    this.#open.set(agent.keyHash, response);
    this.#parts.metrics.waiting(1);
    const beginIfTaken = (): void => void this.#begin(agent, response).catch(this.#parts.failed);
    // Listens before it reads the state, so that it does not miss a build that takes the Pod in between.
    const stop = this.#parts.warmPods.on(agent.warm, beginIfTaken);
    const keepAliveTimer = setInterval(() => response.write('\n'), KEEP_ALIVE_MS);
    const recheckTimer = setInterval(beginIfTaken, RECHECK_MS);
    beginIfTaken();
    response.once('close', () => {
      clearInterval(keepAliveTimer);
      clearInterval(recheckTimer);
      stop();
      if (this.#open.get(agent.keyHash) === response) this.#open.delete(agent.keyHash);
      this.#parts.metrics.waiting(-1);
    });
  }

  /** Ends all streams. Their agents then connect to another replica. */
  closeAll(): void {
    for (const response of this.#open.values()) response.end();
  }

  async #begin({ keyHash, architecture }: WaitingAgent, response: ServerResponse): Promise<void> {
    const answer = await this.#parts.flows.beginWarmWork(keyHash, architecture);
    if (answer.answer === 'waiting' || !response.writable) return;
    if (answer.answer === 'begin') {
      this.#parts.sessions.cache(keyHash, answer.session);
      response.write(`${JSON.stringify(answer.work)}\n`);
    }
    // If the answer is not `begin`, the agent opens another stream, or learns that its session has ended.
    response.end();
  }
}
