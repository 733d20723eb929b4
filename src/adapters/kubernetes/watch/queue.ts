import { BackOff } from '#domain/back-off.ts';

/** The result of reconciling one key. A thrown error is retried with exponential back-off. */
export type ReconcileResult = 'done' | { requeueAfterMs: number };

export interface QueueOptions {
  /** Reconciles one key. Never runs for the same key concurrently. */
  work(key: string): Promise<ReconcileResult>;
  concurrency: number;
  /**
   * Returns the share of the workers that a key uses, such as the name of its team. Shares take turns. If
   * there are several workers, one share alone never occupies all of them. Without this function, all keys
   * have the same share, which may occupy all workers.
   */
  shareOf?(key: string): string;
  onError(key: string, error: unknown, retryInMs: number): void;
  /** The first wait of the back-off after errors; 100 ms by default. */
  baseMs?: number;
  /** The longest wait of the back-off; a minute by default. */
  longestMs?: number;
  clock?: QueueClock;
}

/** The clock of the queue; tests replace it. */
export interface QueueClock {
  now(): number;
  /** Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void;
}

const realClock: QueueClock = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

interface Entry {
  /** `waiting`: for the end of a delay. `working-dirty`: the key was added again during its work. */
  state: 'waiting' | 'queued' | 'working' | 'working-dirty';
  /** When the delay of a waiting key ends; Infinity without a delay. */
  dueAt: number;
  /** When the key is due again, if it was added with a delay during its work; otherwise Infinity. */
  dueAgainAt: number;
  cancel?: () => void;
  backOff: BackOff;
}

/**
 * A queue of keys without duplicates. A key that is added while it is being reconciled is reconciled once
 * more. Different keys run concurrently, up to `concurrency`.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #clock: QueueClock;
  readonly #entries = new Map<string, Entry>();
  /** Ready keys by share. The share that has waited longest for its turn comes first. */
  readonly #ready = new Map<string, string[]>();
  readonly #workingByShare = new Map<string, number>();
  /** Functions that resolve the promises of `stop`, called when no work runs any more. */
  readonly #idle: (() => void)[] = [];
  #working = 0;
  #stopped = false;
  /** When work last began or ended, or a key was queued while there was no work. */
  #lastProgressAt: number;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#lastProgressAt = this.#clock.now();
  }

  /** The number of keys that are waiting, queued or being reconciled. */
  get size(): number {
    return this.#entries.size;
  }

  /** Milliseconds since `#lastProgressAt`; 0 if no key is queued or being reconciled. */
  stuckMs(): number {
    return this.#working > 0 || this.#ready.size > 0 ? this.#clock.now() - this.#lastProgressAt : 0;
  }

  add(key: string): void {
    const entry = this.#entry(key);
    if (entry.state === 'working') entry.state = 'working-dirty';
    if (entry.state !== 'waiting') return;
    this.#enqueue(key, entry);
  }

  /** Adds the key after a delay, unless it is due earlier. */
  addAfter(key: string, ms: number): void {
    const entry = this.#entry(key);
    if (entry.state === 'working') entry.dueAgainAt = Math.min(entry.dueAgainAt, this.#clock.now() + ms);
    if (entry.state === 'waiting') this.#wait(key, entry, ms);
  }

  /** Starts no more work, and waits for running work. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const entry of this.#entries.values()) entry.cancel?.();
    this.#ready.clear();
    if (this.#working === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #entry(key: string): Entry {
    const existing = this.#entries.get(key);
    if (existing !== undefined) return existing;
    const { baseMs = 100, longestMs = 60_000 } = this.#options;
    const entry: Entry = {
      state: 'waiting',
      dueAt: Infinity,
      dueAgainAt: Infinity,
      backOff: new BackOff({ firstMs: baseMs, longestMs }, Math.random),
    };
    if (!this.#stopped) this.#entries.set(key, entry);
    return entry;
  }

  #wait(key: string, entry: Entry, ms: number): void {
    const dueAt = this.#clock.now() + ms;
    if (this.#stopped || dueAt >= entry.dueAt) return;
    entry.cancel?.();
    entry.dueAt = dueAt;
    entry.cancel = this.#clock.after(ms, () => this.#enqueue(key, entry));
  }

  #enqueue(key: string, entry: Entry): void {
    if (this.#stopped) return;
    entry.cancel?.();
    delete entry.cancel;
    entry.dueAt = Infinity;
    entry.state = 'queued';
    if (this.#ready.size === 0 && this.#working === 0) this.#lastProgressAt = this.#clock.now();
    const share = this.#shareOf(key);
    const ready = this.#ready.get(share);
    if (ready === undefined) this.#ready.set(share, [key]);
    else ready.push(key);
    this.#startWork();
  }

  #startWork(): void {
    while (this.#working < this.#options.concurrency) {
      const key = this.#takeReady();
      const entry = key === undefined ? undefined : this.#entries.get(key);
      if (key === undefined || entry === undefined) return;
      entry.state = 'working';
      this.#working += 1;
      this.#countWorking(key, 1);
      this.#lastProgressAt = this.#clock.now();
      void this.#work(key, entry);
    }
  }

  /**
   * Takes the next key of the share with the fewest running keys. Of several such shares, takes the one that
   * waited longest. Undefined if no share may start work.
   */
  #takeReady(): string | undefined {
    let chosen: string | undefined;
    let fewest = this.#maxPerShare();
    for (const share of this.#ready.keys()) {
      const working = this.#workingByShare.get(share) ?? 0;
      if (working < fewest) [chosen, fewest] = [share, working];
    }
    if (chosen === undefined) return undefined;
    const keys = this.#ready.get(chosen) ?? [];
    const key = keys.shift();
    this.#ready.delete(chosen);
    if (keys.length > 0) this.#ready.set(chosen, keys);
    return key;
  }

  /**
   * If there are several workers, leaves one free, so that a share with long work does not delay the others.
   */
  #maxPerShare(): number {
    const { concurrency } = this.#options;
    return this.#options.shareOf === undefined ? concurrency : Math.max(1, concurrency - 1);
  }

  #shareOf(key: string): string {
    return this.#options.shareOf?.(key) ?? '';
  }

  #countWorking(key: string, change: 1 | -1): void {
    const share = this.#shareOf(key);
    const working = (this.#workingByShare.get(share) ?? 0) + change;
    if (working === 0) this.#workingByShare.delete(share);
    else this.#workingByShare.set(share, working);
  }

  async #work(key: string, entry: Entry): Promise<void> {
    let waitMs: number | undefined;
    try {
      const result = await this.#options.work(key);
      entry.backOff.reset();
      if (result !== 'done') waitMs = result.requeueAfterMs;
    } catch (error) {
      waitMs = entry.backOff.next();
      this.#options.onError(key, error, waitMs);
    }
    this.#workEnded(key, entry, waitMs);
  }

  #workEnded(key: string, entry: Entry, waitMs: number | undefined): void {
    this.#working -= 1;
    this.#countWorking(key, -1);
    this.#lastProgressAt = this.#clock.now();
    const wasAddedAgain = entry.state === 'working-dirty';
    const dueInMs = Math.min(waitMs ?? Infinity, Math.max(0, entry.dueAgainAt - this.#clock.now()));
    entry.state = 'waiting';
    entry.dueAgainAt = Infinity;
    if (wasAddedAgain) this.#enqueue(key, entry);
    else if (dueInMs === Infinity) this.#entries.delete(key);
    else this.#wait(key, entry, dueInMs);
    this.#startWork();
    if (this.#working === 0 && this.#stopped) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
