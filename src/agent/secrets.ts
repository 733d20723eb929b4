import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { SecretsRequest, SecretsResponse } from '#domain/build/agent-protocol.ts';
import type { Masker } from '#domain/build/mask-secrets.ts';
import { keepEntrypoints } from '#domain/planning/fill-entrypoints.ts';
import { operationId, type Operation } from '#domain/planning/operations.ts';
import type { SecretGet } from '#domain/planning/plan-secret-gets.ts';
import { SessionOver } from './gateway-client.ts';
import { gatewayBackOff, isFinal, pauseFor } from './retry.ts';
import { runSecretGet } from './run-secret-get.ts';

/** How long an operation waits for its secrets while a store or the gateway is unreachable. */
const SECRETS_LIMIT_MS = 5 * 60_000;
/** Rounds of gets for one operation: more than the secrets of a chain. */
const MAX_ROUNDS = 20;

export interface SecretLinks {
  /** Asks the gateway once. */
  request: (request: SecretsRequest) => Promise<SecretsResponse>;
  masker: Masker;
  shims: Map<string, ShimConnection>;
  onOver: () => void;
  limitMs?: number;
}

export interface Fetching {
  /** Ends the wait. */
  stop: AbortSignal;
  /** Called once if the secrets cannot be read yet, with the reason. */
  onWait?: (reason: string) => void;
}

/** `final`: another request would fail alike. */
type Answer = SecretsResponse | { answer: 'final'; reason: string };
type Given = NonNullable<SecretsRequest['given']>;

/** Fetches the secrets of operations, and masks their values before it hands them out. */
export class Secrets {
  readonly #links: SecretLinks;
  /** The last get of a secret type. */
  #getting: Promise<unknown> = Promise.resolve();

  constructor(links: SecretLinks) {
    this.#links = links;
  }

  /** The operation with its secrets, or with a `refusal`. Undefined: `stop` came first. */
  async of<O extends Operation>(operation: O, { stop, onWait }: Fetching): Promise<O | undefined> {
    if (operation.needsSecrets !== true || operation.refusal !== undefined) return operation;
    const answer = await this.#collect(operationId(operation), { stop, ...defined({ onWait }) });
    if (answer === undefined || stop.aborted) return undefined;
    if (answer.answer === 'run') return { ...operation, refusal: 'The secrets need too many gets.' };
    if (answer.answer !== 'filled') return { ...operation, refusal: answer.reason };
    this.#links.masker.add(answer.masks);
    return keepEntrypoints(operation, answer.operation);
  }

  /** Runs the gets that the gateway asks for, until it has no more. */
  async #collect(operation: string, fetching: Fetching): Promise<Answer | undefined> {
    let given: Given = {};
    let answer = await this.#fetch({ operation }, fetching);
    for (let round = 1; answer?.answer === 'run' && round <= MAX_ROUNDS; round += 1) {
      this.#links.masker.add(answer.masks);
      const brought = await this.#runGets(answer.gets, fetching.stop);
      if (brought === undefined) return undefined;
      given = { ...given, ...brought };
      answer = await this.#fetch({ operation, given }, fetching);
    }
    return answer;
  }

  /** Gets run one after another, whichever operation needs them. */
  async #runGets(gets: readonly SecretGet[], stop: AbortSignal): Promise<Given | undefined> {
    let given: Given = {};
    for (const get of gets) {
      const run = this.#getting.then(() => runSecretGet(get, this.#links.shims, stop));
      this.#getting = run.catch(() => undefined);
      const brought = await run;
      if (brought === undefined) return undefined;
      const values = Object.values(brought).flatMap((one) => ('value' in one ? [one.value] : []));
      this.#links.masker.add(values);
      given = { ...given, ...brought };
    }
    return given;
  }

  /**
   * Asks until the answer is not to wait, or the time is up: then the last one. Undefined: `stop` came first.
   */
  async #fetch(request: SecretsRequest, { stop, onWait }: Fetching): Promise<Answer | undefined> {
    const backOff = gatewayBackOff();
    const until = Date.now() + (this.#links.limitMs ?? SECRETS_LIMIT_MS);
    for (let first = true; !stop.aborted; first = false) {
      const answer = await this.#ask(request);
      const pause = backOff.next();
      if (answer.answer !== 'wait' || Date.now() + pause > until) return answer;
      if (first) onWait?.(answer.reason);
      await pauseFor(pause, stop);
    }
    return undefined;
  }

  async #ask(request: SecretsRequest): Promise<Answer> {
    try {
      return await this.#links.request(request);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const reason = `The secrets cannot be fetched from the gateway: ${why}.`;
      if (error instanceof SessionOver) this.#links.onOver();
      return { answer: isFinal(error) ? 'final' : 'wait', reason };
    }
  }
}
