import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer, ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import type { ListOptions } from '#adapters/kubernetes/api/list-query.ts';
import { BackOff } from '#domain/back-off.ts';
import { linesOf } from './lines.ts';
import { objectKey, Store, type CachedObject, type ObjectChange } from './store.ts';

/** The part of the API client that a reflector needs. */
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
  /** Reduces an object to the fields to cache. */
  project(object: T): S;
  /**
   * Handles every change. It should only enqueue a key. If it throws, it is called with the same change
   * again.
   */
  changed(change: ObjectChange<S>): void;
  onProblem(problem: ApiProblem): void;
  timing?: Partial<ReflectorTiming>;
}

export interface ReflectorTiming {
  /**
   * The longest timeout of a watch. Each watch uses this minus up to a third at random. It is short, so that
   * a dead connection is noticed soon.
   */
  watchSeconds: number;
  /** How long after its timeout a watch may continue before the client aborts it. */
  graceMs: number;
  /** Time between two full lists, plus or minus a fifth. */
  relistMs: number;
  /** The first and the longest wait of the back-off after problems. */
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
 * If a watch ends this soon without an event, the API server is probably shutting down. The reflector then
 * pauses before the next watch.
 */
const EARLY_END_MS = 1000;
const MAX_LINE_BYTES = 8 * 1024 * 1024;

interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T & { metadata?: { resourceVersion?: string }; code?: number; reason?: string; message?: string };
}

/**
 * Caches the objects of one kind and reports changes. It lists, and then watches from the list's resource
 * version. It lists again about every ten minutes, and when the API server no longer has the version to watch
 * from (410). After a problem, it waits with exponential back-off and tries again, until it is stopped.
 */
export class Reflector<T, S extends CachedObject> {
  readonly store = new Store<S>();
  readonly #source: ListWatcher;
  readonly #options: ReflectorOptions<T, S>;
  readonly #timing: ReflectorTiming;
  readonly #stop = new AbortController();
  /** Changes for which the handler threw an error. */
  readonly #undelivered: ObjectChange<S>[] = [];
  /** Objects passed to `note` during the current list, which may not contain them yet. */
  #noted: S[] | undefined;
  /** The resource version up to which the store has all changes. */
  #seenVersion = '';
  readonly #firstList = Promise.withResolvers<boolean>();
  readonly #backOff: BackOff;
  #lastProgressAt = performance.now();
  #running: Promise<void> | undefined;

  constructor(source: ListWatcher, options: ReflectorOptions<T, S>) {
    this.#source = source;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#backOff = new BackOff(
      { firstMs: this.#timing.baseMs, longestMs: this.#timing.longestMs },
      Math.random,
    );
  }

  /**
   * Resolves to true when the first list is in the store, and to false if the reflector stops before that.
   */
  get synced(): Promise<boolean> {
    return this.#firstList.promise;
  }

  /**
   * Milliseconds since the last event or attempt. Even a watch without events ends after its timeout, so a
   * large value means that the loop hangs.
   */
  stuckMs(): number {
    return performance.now() - this.#lastProgressAt;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#firstList.resolve(false);
    await this.#running;
  }

  /**
   * Adds an object that this process has just written or read, before its watch event arrives. Does nothing
   * if the watch has passed the version of the object: either the store already has the object, or the object
   * has been deleted since.
   */
  note(object: S): void {
    if (isIncluded(object.resourceVersion, this.#seenVersion)) return;
    this.#noted?.push(object);
    if (this.store.get(objectKey(object)) === undefined) this.#deliver(this.store.put(object));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const listed = await this.#list();
      if (listed.ok) await this.#watchUntilRelist(listed.value);
      else if (!this.#stop.signal.aborted) {
        this.#options.onProblem(listed);
        await this.#pause(listed);
      }
    }
  }

  async #list(): Promise<ApiAnswer<string>> {
    const listed: S[] = [];
    const noted: S[] = [];
    this.#noted = noted;
    const answer = await this.#source.list(this.#options.kind, this.#options, (items) => {
      this.#lastProgressAt = performance.now();
      for (const item of items) listed.push(this.#options.project(item));
    });
    this.#noted = undefined;
    this.#lastProgressAt = performance.now();
    if (!answer.ok || this.#stop.signal.aborted) return answer;
    const keys = new Set(listed.map(objectKey));
    const newer = noted.filter(
      (object) => !keys.has(objectKey(object)) && !isIncluded(object.resourceVersion, answer.value),
    );
    this.#seenVersion = answer.value;
    this.#deliver(this.store.replace([...listed, ...newer]));
    this.#firstList.resolve(true);
    return answer;
  }

  /** Watches from a version until the next list is due or the version is too old. */
  async #watchUntilRelist(from: string): Promise<void> {
    const relistAt = performance.now() + this.#timing.relistMs * (0.8 + 0.4 * Math.random());
    let version = from;
    while (!this.#stop.signal.aborted && performance.now() < relistAt) {
      const startedAt = performance.now();
      const ending = await this.#watch(version);
      const hasEndedEarly = ending.version === version && performance.now() - startedAt < EARLY_END_MS;
      version = ending.version;
      this.#lastProgressAt = performance.now();
      this.#deliver([]);
      if (ending.problem?.status === GONE) return;
      if (ending.problem !== undefined) this.#options.onProblem(ending.problem);
      if (ending.problem !== undefined || hasEndedEarly) await this.#pause(ending.problem);
      else this.#backOff.reset();
    }
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
      for await (const line of linesOf(answer.value, MAX_LINE_BYTES)) {
        this.#lastProgressAt = performance.now();
        const event: WatchEvent<T> = JSON.parse(line);
        if (event.type === 'ERROR') return { version, problem: problemIn(event) };
        version = event.object.metadata?.resourceVersion ?? version;
        this.#seenVersion = version;
        if (event.type !== 'BOOKMARK') this.#apply(event);
      }
      return { version };
    } catch (error) {
      if (signal.aborted) return { version };
      const message = Error.isError(error) ? error.message : String(error);
      return { version, problem: { ok: false, status: 0, reason: 'WatchBroken', message } };
    }
  }

  #apply(event: WatchEvent<T>): void {
    const object = this.#options.project(event.object);
    this.#deliver(event.type === 'DELETED' ? this.store.remove(object) : this.store.put(object));
  }

  /**
   * Delivers changes, undelivered ones first. If the handler throws, the change and later changes of the same
   * key stay undelivered until the next call.
   */
  #deliver(changes: ObjectChange<S>[]): void {
    const pending = [...this.#undelivered.splice(0), ...changes];
    const failed = new Set<string>();
    for (const change of pending) {
      try {
        if (failed.has(change.key)) this.#undelivered.push(change);
        else this.#options.changed(change);
      } catch (error) {
        failed.add(change.key);
        this.#undelivered.push(change);
        const message =
          `the handler of ${change.key} failed: ` + (Error.isError(error) ? error.message : String(error));
        this.#options.onProblem({ ok: false, status: 0, reason: 'HandlerFailed', message });
      }
    }
  }

  async #pause(problem: ApiProblem | undefined): Promise<void> {
    const requestedMs = Math.min((problem?.retryAfterSeconds ?? 0) * 1000, this.#timing.longestMs);
    const ms = Math.max(this.#backOff.next(), requestedMs);
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    this.#lastProgressAt = performance.now();
  }
}

const COMPARABLE = /^\d+$/;

/**
 * Whether a list or watch that has reached `seenVersion` includes the changes up to `version`. The API
 * server's versions are increasing numbers; other texts cannot be compared, so the result is false.
 */
function isIncluded(version: string, seenVersion: string): boolean {
  return COMPARABLE.test(version) && COMPARABLE.test(seenVersion) && BigInt(version) <= BigInt(seenVersion);
}

function problemIn<T>(event: WatchEvent<T>): ApiProblem {
  const { code = 0, reason = 'WatchError', message = 'the watch ended with an error' } = event.object;
  return { ok: false, status: code, reason, message };
}
