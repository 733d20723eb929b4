import { BackOff } from '#domain/back-off.ts';

/** How the work on one key ended; a thrown error is tried again with growing waits. */
export type ReconcileResult = 'done' | { requeueAfterMs: number };

export interface QueueOptions {
  /** Works on one key; never runs twice at a time for the same key. */
  work(key: string): Promise<ReconcileResult>;
  concurrency: number;
  /**
   * Whose key it is. Parties take turns, and one alone leaves one place of several for others. Absent: all
   * keys are one party's.
   */
  shareOf?(key: string): string;
  onError(key: string, error: unknown, retryInMs: number): void;
  baseMs?: number;
  longestMs?: number;
  clock?: QueueClock;
}

/** Time as the queue sees it. */
export interface QueueClock {
  now(): number;
  /** Returns how to call it off. */
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
  state: 'waiting' | 'queued' | 'working' | 'working-dirty';
  dueAt: number;
  callOff?: () => void;
  backOff: BackOff;
}

/**
 * Keys to be worked on, each once however often it is added: a key added while its work runs is worked on
 * once more afterwards. Different keys run side by side up to the limit.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #clock: QueueClock;
  readonly #entries = new Map<string, Entry>();
  /** Keys by whose they are, in the order of their turns. */
  readonly #ready = new Map<string, string[]>();
  readonly #workingOf = new Map<string, number>();
  readonly #idle: (() => void)[] = [];
  #working = 0;
  #stopped = false;
  #lastTurn: number;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#lastTurn = this.#clock.now();
  }

  /** Keys that are known to the queue: waiting, queued and being worked on. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Milliseconds for which work has been there and none was begun or ended; 0 when there is nothing to do.
   */
  stuckMs(): number {
    return this.#working > 0 || this.#ready.size > 0 ? this.#clock.now() - this.#lastTurn : 0;
  }

  add(key: string): void {
    const entry = this.#entry(key);
    if (entry.state === 'working') entry.state = 'working-dirty';
    if (entry.state !== 'waiting') return;
    this.#enqueue(key, entry);
  }

  /** Adds the key later, unless it is due earlier anyway. */
  addAfter(key: string, ms: number): void {
    const entry = this.#entry(key);
    if (entry.state !== 'waiting') return;
    this.#wait(key, entry, ms);
  }

  /** Begins no more work and waits for what runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const entry of this.#entries.values()) entry.callOff?.();
    this.#ready.clear();
    if (this.#working === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const { baseMs = 100, longestMs = 60_000 } = this.#options;
    const entry: Entry = {
      state: 'waiting',
      dueAt: Infinity,
      backOff: new BackOff({ firstMs: baseMs, longestMs }, Math.random),
    };
    if (!this.#stopped) this.#entries.set(key, entry);
    return entry;
  }

  #wait(key: string, entry: Entry, ms: number): void {
    const dueAt = this.#clock.now() + ms;
    if (this.#stopped || dueAt >= entry.dueAt) return;
    entry.callOff?.();
    entry.dueAt = dueAt;
    entry.callOff = this.#clock.after(ms, () => this.#enqueue(key, entry));
  }

  #enqueue(key: string, entry: Entry): void {
    if (this.#stopped) return;
    entry.callOff?.();
    delete entry.callOff;
    entry.dueAt = Infinity;
    entry.state = 'queued';
    if (this.#ready.size === 0 && this.#working === 0) this.#lastTurn = this.#clock.now();
    const share = this.#shareOf(key);
    const ready = this.#ready.get(share);
    if (ready === undefined) this.#ready.set(share, [key]);
    else ready.push(key);
    this.#turn();
  }

  #turn(): void {
    while (this.#working < this.#options.concurrency) {
      const key = this.#nextReady();
      const entry = key === undefined ? undefined : this.#entries.get(key);
      if (key === undefined || entry === undefined) return;
      entry.state = 'working';
      this.#working += 1;
      this.#count(key, 1);
      this.#lastTurn = this.#clock.now();
      void this.#work(key, entry);
    }
  }

  /** Of the party that has the fewest under way; of equals, of the one whose turn was longest ago. */
  #nextReady(): string | undefined {
    let chosen: string | undefined;
    let fewest = this.#mostOfShare();
    for (const share of this.#ready.keys()) {
      const working = this.#workingOf.get(share) ?? 0;
      if (working < fewest) [chosen, fewest] = [share, working];
    }
    if (chosen === undefined) return undefined;
    const keys = this.#ready.get(chosen) ?? [];
    const key = keys.shift();
    this.#ready.delete(chosen);
    if (keys.length > 0) this.#ready.set(chosen, keys);
    return key;
  }

  /** So that there is a place at once for whoever comes while one party has much that takes long. */
  #mostOfShare(): number {
    const { concurrency } = this.#options;
    return this.#options.shareOf === undefined ? concurrency : Math.max(1, concurrency - 1);
  }

  #shareOf(key: string): string {
    return this.#options.shareOf?.(key) ?? '';
  }

  #count(key: string, change: 1 | -1): void {
    const share = this.#shareOf(key);
    const working = (this.#workingOf.get(share) ?? 0) + change;
    if (working === 0) this.#workingOf.delete(share);
    else this.#workingOf.set(share, working);
  }

  async #work(key: string, entry: Entry): Promise<void> {
    let waitMs: number | undefined;
    try {
      const ending = await this.#options.work(key);
      entry.backOff.reset();
      if (ending !== 'done') waitMs = ending.requeueAfterMs;
    } catch (error) {
      waitMs = entry.backOff.next();
      this.#options.onError(key, error, waitMs);
    }
    this.#ended(key, entry, waitMs);
  }

  #ended(key: string, entry: Entry, waitMs: number | undefined): void {
    this.#working -= 1;
    this.#count(key, -1);
    this.#lastTurn = this.#clock.now();
    const dirty = entry.state === 'working-dirty';
    entry.state = 'waiting';
    if (dirty) this.#enqueue(key, entry);
    else if (waitMs === undefined) this.#entries.delete(key);
    else this.#wait(key, entry, waitMs);
    this.#turn();
    if (this.#working === 0 && this.#stopped) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
