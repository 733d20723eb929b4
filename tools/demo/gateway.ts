import { setTimeout as sleep } from 'node:timers/promises';
import { explained } from '#tools/cluster/explain.ts';

export interface DemoBuild {
  number: string;
  status: string;
  reason?: string;
  message?: string;
  started_at?: string;
  ended_at?: string;
  created_at: string;
  inputs?: { resource: string; version: Record<string, string> }[];
  steps?: { kind: string; name: string; status: string }[];
}

/** The public API for the demonstration: one pipeline, one token. */
export class DemoGateway {
  readonly #base: string;
  readonly #token: string;
  readonly #pipeline: string;

  constructor(base: string, token: string, pipeline: { team: string; name: string }) {
    this.#base = base;
    this.#token = token;
    this.#pipeline = `/teams/${pipeline.team}/pipelines/${pipeline.name}`;
  }

  builds(job: string): Promise<DemoBuild[]> {
    return this.#data(`${this.#pipeline}/jobs/${job}/builds`);
  }

  build(job: string, number: string): Promise<DemoBuild> {
    return this.#data(`${this.#pipeline}/jobs/${job}/builds/${number}`);
  }

  async log(job: string, number: string): Promise<string> {
    const answer = await this.#ask(
      'GET',
      `${this.#pipeline}/jobs/${job}/builds/${number}/logs`,
      'text/plain',
    );
    return answer.text();
  }

  async webhookToken(resource: string): Promise<string | undefined> {
    const details: { webhook_token?: string } = await this.#data(`${this.#pipeline}/resources/${resource}`);
    return details.webhook_token;
  }

  /** Calls the webhook like a forge after a push. */
  async callWebhook(token: string): Promise<number> {
    const answer = await fetch(`${this.#base}/webhooks/${token}`, { method: 'POST', body: '{}' });
    return answer.status;
  }

  async #data<T>(path: string): Promise<T> {
    const answer = await this.#ask('GET', path, 'application/json');
    const body: { data: T } = JSON.parse(await answer.text());
    return body.data;
  }

  /**
   * Repeats a request for some minutes, because the gateway may be restarting or a forwarded port may break.
   * Throws at once after a status of 4xx other than 401 and 404.
   */
  async #ask(method: string, path: string, accept: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, accept };
    let problem = '';
    for (let tries = 0; tries < 180; tries++) {
      try {
        const signal = AbortSignal.timeout(10_000);
        const answer = await fetch(`${this.#base}${path}`, { method, headers, signal });
        if (answer.ok) return answer;
        problem = `${answer.status} ${await answer.text()}`;
        // The gateway may not know a new token yet, and a new pipeline must be saved first.
        if (![401, 404].includes(answer.status) && answer.status < 500) break;
      } catch (error) {
        problem = Error.isError(error) ? error.message : String(error);
      }
      await sleep(1000);
    }
    throw explained(`${method} ${this.#base}${path}: ${problem}`);
  }
}
