import type { ServerResponse } from 'node:http';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentFlows, WarmHints } from './agent-flows.ts';
import type { Sessions } from './sessions.ts';

const ALIVE_EVERY_MS = 15_000;
/** A notification may be lost. */
const LOOK_AGAIN_EVERY_MS = 15_000;

interface WorkStreamsParts {
  flows: Pick<AgentFlows, 'beginWarmWork'>;
  sessions: Pick<Sessions, 'cache'>;
  warmPods: WarmHints;
  metrics: AgentMetrics;
  failed: (error: unknown) => void;
}

interface Waiting {
  warm: number;
  keyHash: string;
  architecture: string;
}

/**
 * The open responses to agents that wait for work. Each ends with one line, as soon as a build takes the Pod.
 */
export class WorkStreams {
  readonly #parts: WorkStreamsParts;
  /** Key: hash of the agent's key. A new stream replaces the previous one. */
  readonly #open = new Map<string, ServerResponse>();

  constructor(parts: WorkStreamsParts) {
    this.#parts = parts;
  }

  open(waiting: Waiting, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#open.get(waiting.keyHash)?.end();
    this.#open.set(waiting.keyHash, response);
    this.#parts.metrics.waiting(1);
    const look = (): void => void this.#begin(waiting, response).catch(this.#parts.failed);
    // Listens first, then looks: a build that takes the Pod in between is not missed.
    const stop = this.#parts.warmPods.on(waiting.warm, look);
    const alive = setInterval(() => response.write('\n'), ALIVE_EVERY_MS);
    const again = setInterval(look, LOOK_AGAIN_EVERY_MS);
    look();
    response.once('close', () => {
      clearInterval(alive);
      clearInterval(again);
      stop();
      if (this.#open.get(waiting.keyHash) === response) this.#open.delete(waiting.keyHash);
      this.#parts.metrics.waiting(-1);
    });
  }

  /** Agents connect again, to another replica. */
  closeAll(): void {
    for (const response of this.#open.values()) response.end();
  }

  async #begin({ keyHash, architecture }: Waiting, response: ServerResponse): Promise<void> {
    const answer = await this.#parts.flows.beginWarmWork(keyHash, architecture);
    if (answer.answer === 'waiting' || !response.writable) return;
    if (answer.answer === 'begin') {
      this.#parts.sessions.cache(keyHash, answer.session);
      response.write(`${JSON.stringify(answer.work)}\n`);
    }
    // Otherwise the agent asks again, or learns that its session has ended.
    response.end();
  }
}
