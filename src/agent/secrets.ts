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
/**
 * How often the gateway may ask the agent to run gets of secret types for one operation. If secrets need each
 * other, each link of the chain takes one round, and the language limits chains to fewer links.
 */
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
  /** Ends the wait for secrets. */
  stop: AbortSignal;
  /**
   * Called with the reason if the secrets cannot be read yet: at most once for the first request, and at most
   * once after each round of gets, however often the request is repeated.
   */
  onWait?: (reason: string) => void;
}

/** `final`: another request would fail in the same way. */
type Answer = SecretsResponse | { answer: 'final'; reason: string };
type SecretOutputs = NonNullable<SecretsRequest['given']>;

/** Fetches the secrets of operations, and masks their values before it hands them out. */
export class Secrets {
  readonly #links: SecretLinks;
  /** The newest get of a secret type: it has ended, runs or waits. The next one starts after its end. */
  #lastGet: Promise<unknown> = Promise.resolve();

  constructor(links: SecretLinks) {
    this.#links = links;
  }

  /**
   * Fetches the secrets of an operation. Returns the operation with them, or with a `refusal`, or undefined
   * if `stop` aborted first.
   */
  async fillIn<Unfilled extends Operation>(
    operation: Unfilled,
    { stop, onWait }: Fetching,
  ): Promise<Unfilled | undefined> {
    if (operation.needsSecrets !== true || operation.refusal !== undefined) return operation;
    const answer = await this.#collect(operationId(operation), { stop, ...defined({ onWait }) });
    if (answer === undefined || stop.aborted) return undefined;
    if (answer.answer === 'run') return { ...operation, refusal: 'The secrets need too many gets.' };
    if (answer.answer !== 'filled') return { ...operation, refusal: answer.reason };
    this.#links.masker.add(answer.masks);
    return keepEntrypoints(operation, answer.operation);
  }

  /**
   * Requests the secrets. While the gateway asks for gets, runs them and requests the secrets again, for at
   * most `MAX_ROUNDS` rounds. Returns undefined if `stop` aborted first.
   */
  async #collect(operation: string, fetching: Fetching): Promise<Answer | undefined> {
    let outputs: SecretOutputs = {};
    let answer = await this.#fetch({ operation }, fetching);
    for (let round = 1; answer?.answer === 'run' && round <= MAX_ROUNDS; round += 1) {
      this.#links.masker.add(answer.masks);
      const newOutputs = await this.#runGets(answer.gets, fetching.stop);
      if (newOutputs === undefined) return undefined;
      outputs = { ...outputs, ...newOutputs };
      answer = await this.#fetch({ operation, given: outputs }, fetching);
    }
    return answer;
  }

  /** Runs gets one after another, even those of different operations. */
  async #runGets(gets: readonly SecretGet[], stop: AbortSignal): Promise<SecretOutputs | undefined> {
    let outputs: SecretOutputs = {};
    for (const get of gets) {
      const run = this.#lastGet.then(() => runSecretGet(get, this.#links.shims, stop));
      this.#lastGet = run.catch(() => undefined);
      const newOutputs = await run;
      if (newOutputs === undefined) return undefined;
      const values = Object.values(newOutputs).flatMap((output) => ('value' in output ? [output.value] : []));
      this.#links.masker.add(values);
      outputs = { ...outputs, ...newOutputs };
    }
    return outputs;
  }

  /**
   * Repeats the request until the gateway answers something other than `wait`, or until the time is up.
   * Returns the last answer, or undefined if `stop` aborted first.
   */
  async #fetch(request: SecretsRequest, { stop, onWait }: Fetching): Promise<Answer | undefined> {
    const backOff = gatewayBackOff();
    // `performance.now()` never jumps. The clock of the node may.
    const until = performance.now() + (this.#links.limitMs ?? SECRETS_LIMIT_MS);
    for (let first = true; !stop.aborted; first = false) {
      const answer = await this.#ask(request);
      const pause = backOff.next();
      if (answer.answer !== 'wait' || performance.now() + pause > until) return answer;
      if (first) onWait?.(answer.reason);
      await pauseFor(pause, stop);
    }
    return undefined;
  }

  async #ask(request: SecretsRequest): Promise<Answer> {
    try {
      return await this.#links.request(request);
    } catch (error) {
      const why = Error.isError(error) ? error.message : String(error);
      const reason = `The secrets cannot be fetched from the gateway: ${why}.`;
      if (error instanceof SessionOver) this.#links.onOver();
      return { answer: isFinal(error) ? 'final' : 'wait', reason };
    }
  }
}
