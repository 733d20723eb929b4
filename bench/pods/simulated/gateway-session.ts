import { randomBytes } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { linesOf } from '#adapters/kubernetes/watch/lines.ts';
import { defined } from '#defined';
import type {
  CheckResultsRequest,
  SessionConfirmation,
  SessionRequest,
  SessionResponse,
} from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { SimulatedPodWork } from './pod-work.ts';

const MAX_LINE_BYTES = 32 * 1024 * 1024;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;
const TIMEOUT_MS = 60_000;

/** The gateway refused a request, and a retry would not help. */
class PermanentError extends Error {
  override name = 'PermanentError';
}

/** Outside a cluster the gateway's Service has no address, so every name resolves to this machine. */
const resolveToThisMachine: LookupFunction = (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

/**
 * One agent at the internal gateway: TLS connections of its own from its Pod's address, and the key of one
 * session.
 */
export class GatewaySession {
  readonly #work: SimulatedPodWork;
  readonly #key = randomBytes(32).toString('base64url');
  readonly #agent: Agent;
  readonly #ended = new AbortController();
  /** Number of repeated requests so far. */
  retries = 0;

  constructor(work: SimulatedPodWork) {
    this.#work = work;
    this.#agent = new Agent({
      localAddress: work.address,
      connections: 4,
      allowH2: false,
      connect: { ca: work.certificateAuthority, lookup: resolveToThisMachine },
    });
  }

  /**
   * Resolves once the session is confirmed. Calls `onWork` when the gateway sends the work, which may be
   * before that, and again if it has to repeat the request.
   */
  async open(token: string | undefined, onWork: (work: SessionResponse) => void): Promise<void> {
    const { pod, nonce } = this.#work;
    const request: SessionRequest = {
      key: this.#key,
      pod,
      ...defined({ nonce, token }),
    };
    await this.#retrying(async () => {
      const answer = await this.#send('POST', '/agent/v1/session', request);
      const type = String(answer.headers['content-type']);
      if (!type.startsWith('application/x-ndjson')) {
        const session: SessionResponse = JSON.parse(await answer.body.text());
        onWork(session);
        return;
      }
      let confirmed = false;
      for await (const line of linesOf(answer.body, MAX_LINE_BYTES)) {
        const parsed: SessionResponse | SessionConfirmation = JSON.parse(line);
        if ('work' in parsed) onWork(parsed);
        else confirmed = parsed.confirmed;
      }
      if (!confirmed) throw new Error('the session was not confirmed');
    });
  }

  async report(events: BuildEvent[]): Promise<void> {
    await this.#post('/agent/v1/events', { events });
  }

  async sendCheckResults(results: CheckResultsRequest): Promise<void> {
    await this.#post('/agent/v1/check-results', results);
  }

  /** Holds the stream of commands open, as an agent does while its build runs, and ignores its content. */
  async followCommands(): Promise<void> {
    try {
      const answer = await this.#send('GET', '/agent/v1/commands');
      await answer.body.dump({ limit: MAX_LINE_BYTES });
    } catch (error) {
      if (!this.#ended.signal.aborted) throw error;
    }
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#agent.destroy();
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#retrying(async () => {
      const answer = await this.#send('POST', path, body);
      await answer.body.dump();
    });
  }

  async #send(method: 'GET' | 'POST', path: string, body?: object): Promise<Dispatcher.ResponseData> {
    const answer = await this.#agent.request({
      origin: this.#work.gateway.origin,
      path,
      method,
      signal: this.#ended.signal,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.statusCode === 200) return answer;
    const text = await answer.body.text();
    const message = `${path} was answered ${answer.statusCode}: ${text.slice(0, 200)}`;
    throw answer.statusCode < 500 && answer.statusCode !== 429
      ? new PermanentError(message)
      : new Error(message);
  }

  async #retrying(request: () => Promise<void>): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        await request();
        return;
      } catch (error) {
        if (error instanceof PermanentError || performance.now() > deadline) throw error;
        this.retries += 1;
        await sleep(pause * (0.5 + Math.random() / 2));
      }
    }
  }
}
