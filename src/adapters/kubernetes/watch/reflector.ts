import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer, ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { ListOptions } from '#adapters/kubernetes/api/client.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { BackOff } from '#domain/back-off.ts';
import { linesOf } from './lines.ts';
import { objectKey, Store, type CachedObject, type ObjectChange } from './store.ts';

/** What a reflector needs of the API client; tests script it. */
export interface ListWatcher {
  list<T>(kind: ApiKind<T>, options: ListOptions, page: (items: T[]) => void): Promise<ApiAnswer<string>>;
  watch(
    kind: ApiKind<unknown>,
    options: ListOptions & { resourceVersion: string; timeoutSeconds: number },
    signal: AbortSignal,
  ): Promise<ApiAnswer<AsyncIterable<Uint8Array>>>;
}

export interface ReflectorOptions<T, S extends CachedObject> extends ListOptions {
  kind: ApiKind<T>;
  /** Keeps only what is needed of an object. */
  project(object: T): S;
  /** Told of every difference. Should only enqueue a key; when it throws, it is told again. */
  changed(change: ObjectChange<S>): void;
  onProblem(problem: ApiProblem): void;
  timing?: Partial<ReflectorTiming>;
}

export interface ReflectorTiming {
  /**
   * A watch is asked to end after this time, up to a third less, so that a connection that was cut silently
   * is left soon.
   */
  watchSeconds: number;
  /** How much later than asked a watch may end before we end it. */
  graceMs: number;
  relistMs: number;
  baseMs: number;
  longestMs: number;
}

const TIMING: ReflectorTiming = {
  watchSeconds: 20,
  graceMs: 3000,
  relistMs: 600_000,
  baseMs: 100,
  longestMs: 10_000,
};
const GONE = 410;
/**
 * A watch that ends this soon with nothing said is a server on its way out: not to be asked at once again.
 */
const HASTY_MS = 1000;
const LONGEST_LINE = 8 * 1024 * 1024;

interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T & { metadata?: { resourceVersion?: string }; code?: number; reason?: string; message?: string };
}

/**
 * Keeps a picture of the objects of one kind and tells of changes: list, watch from there, list again when
 * the watch cannot go on, and every ten minutes in any case. It never gives up; every failure is a longer
 * wait.
 */
export class Reflector<T, S extends CachedObject> {
  readonly store = new Store<S>();
  readonly #source: ListWatcher;
  readonly #options: ReflectorOptions<T, S>;
  readonly #timing: ReflectorTiming;
  readonly #stop = new AbortController();
  readonly #untold: ObjectChange<S>[] = [];
  /** What was noted while the list that is under way is: it may be answered from before. */
  #noted: S[] | undefined;
  readonly #firstList = Promise.withResolvers<void>();
  readonly #backOff: BackOff;
  #lastTurn = performance.now();
  #ended: Promise<void> | undefined;

  constructor(source: ListWatcher, options: ReflectorOptions<T, S>) {
    this.#source = source;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#backOff = new BackOff(
      { firstMs: this.#timing.baseMs, longestMs: this.#timing.longestMs },
      Math.random,
    );
  }

  /** Fulfilled once everything that existed at the start is in the store. */
  get synced(): Promise<void> {
    return this.#firstList.promise;
  }

  /** Milliseconds since it last heard something or tried to: grows only when the loop itself hangs. */
  stuckMs(): number {
    return performance.now() - this.#lastTurn;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#firstList.resolve();
    await this.#ended;
  }

  /** Puts in what a write of ours answered, so that it is seen before the watch tells it. */
  note(object: S): void {
    this.#noted?.push(object);
    if (this.store.get(objectKey(object)) === undefined) this.#tell(this.store.put(object));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const version = await this.#list();
      const problem = version.ok ? await this.#follow(version.value) : version;
      if (this.#stop.signal.aborted) return;
      if (problem === undefined) continue;
      this.#options.onProblem(problem);
      await this.#pause(problem);
    }
  }

  async #list(): Promise<ApiAnswer<string>> {
    const seen: S[] = [];
    const noted: S[] = [];
    this.#noted = noted;
    const answer = await this.#source.list(this.#options.kind, this.#options, (items) => {
      this.#lastTurn = performance.now();
      for (const item of items) seen.push(this.#options.project(item));
    });
    this.#noted = undefined;
    this.#lastTurn = performance.now();
    if (!answer.ok || this.#stop.signal.aborted) return answer;
    const listed = new Set(seen.map(objectKey));
    const newer = noted.filter((object) => !listed.has(objectKey(object)));
    this.#tell(this.store.replace([...seen, ...newer]));
    this.#firstList.resolve();
    return answer;
  }

  /**
   * Watches from a version on until the next full list is due or the version is too old; a problem says why
   * it cannot go on.
   */
  async #follow(from: string): Promise<ApiProblem | undefined> {
    const relistAt = performance.now() + this.#timing.relistMs * (0.8 + 0.4 * Math.random());
    let version = from;
    while (!this.#stop.signal.aborted && performance.now() < relistAt) {
      const startedAt = performance.now();
      const ending = await this.#watch(version);
      const fruitless = ending.version === version && performance.now() - startedAt < HASTY_MS;
      version = ending.version;
      this.#lastTurn = performance.now();
      this.#tell([]);
      if (ending.problem?.status === GONE) return undefined;
      if (ending.problem !== undefined) this.#options.onProblem(ending.problem);
      if (ending.problem !== undefined || fruitless) await this.#pause(ending.problem);
      else this.#backOff.reset();
    }
    return undefined;
  }

  async #watch(from: string): Promise<{ version: string; problem?: ApiProblem }> {
    const seconds = Math.ceil(this.#timing.watchSeconds * (2 / 3 + Math.random() / 3));
    const limit = AbortSignal.timeout(seconds * 1000 + this.#timing.graceMs);
    const signal = AbortSignal.any([limit, this.#stop.signal]);
    const options = { ...this.#options, resourceVersion: from, timeoutSeconds: seconds };
    const answer = await this.#source.watch(this.#options.kind, options, signal);
    if (!answer.ok) return { version: from, problem: answer };
    let version = from;
    try {
      for await (const line of linesOf(answer.value, LONGEST_LINE)) {
        this.#lastTurn = performance.now();
        const event: WatchEvent<T> = JSON.parse(line);
        if (event.type === 'ERROR') return { version, problem: problemIn(event) };
        version = event.object.metadata?.resourceVersion ?? version;
        if (event.type !== 'BOOKMARK') this.#apply(event);
      }
      return { version };
    } catch (error) {
      if (signal.aborted) return { version };
      const message = error instanceof Error ? error.message : String(error);
      return { version, problem: { ok: false, status: 0, reason: 'WatchBroken', message } };
    }
  }

  #apply(event: WatchEvent<T>): void {
    const object = this.#options.project(event.object);
    this.#tell(event.type === 'DELETED' ? this.store.remove(object) : this.store.put(object));
  }

  /**
   * Tells what could not be told before first; what the handler throws at is kept for the next time, with
   * what follows it of that key.
   */
  #tell(changes: ObjectChange<S>[]): void {
    const all = [...this.#untold.splice(0), ...changes];
    const failed = new Set<string>();
    for (const change of all) {
      try {
        if (failed.has(change.key)) this.#untold.push(change);
        else this.#options.changed(change);
      } catch (error) {
        failed.add(change.key);
        this.#untold.push(change);
        const message = `the handler of ${change.key} failed: ${error instanceof Error ? error.message : String(error)}`;
        this.#options.onProblem({ ok: false, status: 0, reason: 'HandlerFailed', message });
      }
    }
  }

  async #pause(problem: ApiProblem | undefined): Promise<void> {
    const ms = Math.max(this.#backOff.next(), (problem?.retryAfterSeconds ?? 0) * 1000);
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    this.#lastTurn = performance.now();
  }
}

function problemIn<T>(event: WatchEvent<T>): ApiProblem {
  const { code = 0, reason = 'WatchError', message = 'the watch ended with an error' } = event.object;
  return { ok: false, status: code, reason, message };
}
