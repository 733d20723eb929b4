import type { PipelineName } from '#flows/names.ts';
import type { PipelineFacts, WaitReason } from '#flows/pipelines/ports.ts';
import type { WaitingView } from '#flows/views/ports.ts';

export interface WaitsOptions {
  facts(name: PipelineName): Promise<PipelineFacts | undefined>;
  waiting(name: PipelineName): Promise<WaitingView | undefined>;
  /**
   * Called when the cached reasons of this pipeline (row id) may be out of date, so that the caller asks for
   * its facts again.
   */
  refresh(pipeline: number): void;
  now?: () => number;
}

/**
 * The pause after a read is this many times as long as the read. So reading the reasons of one pipeline takes
 * at most a twentieth of the time, even if it is large and busy.
 */
const PAUSE_FACTOR = 20;

interface CachedReasons {
  waiting: WaitReason[];
  /** Milliseconds: the reasons are not read again before this time. */
  until: number;
  timer?: NodeJS.Timeout | undefined;
}

/** Adds to the facts of a pipeline why its jobs and builds wait. The reasons may be slightly old. */
export class Waits {
  readonly #options: WaitsOptions;
  readonly #now: () => number;
  readonly #cached = new Map<string, CachedReasons>();

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async facts(name: PipelineName): Promise<PipelineFacts | undefined> {
    const facts = await this.#options.facts(name);
    const key = `${name.team}/${name.pipeline}`;
    if (facts === undefined) {
      this.forget(name);
      return undefined;
    }
    return { ...facts, waiting: await this.#waiting(key, name, facts.id) };
  }

  /** Drops the reasons of a pipeline that is deleted or has another name now. */
  forget({ team, pipeline }: PipelineName): void {
    this.#forget(`${team}/${pipeline}`);
  }

  /** Counts the cached reasons of all pipelines. */
  byReason(): [{ what: 'job' | 'build'; reason: string }, number][] {
    const counts = new Map<string, [{ what: 'job' | 'build'; reason: string }, number]>();
    for (const { number, reason } of [...this.#cached.values()].flatMap(({ waiting }) => waiting)) {
      const what = number === undefined ? 'job' : 'build';
      const key = `${what} ${reason.code}`;
      const [, count] = counts.get(key) ?? [undefined, 0];
      counts.set(key, [{ what, reason: reason.code }, count + 1]);
    }
    return [...counts.values()];
  }

  stop(): void {
    for (const key of this.#cached.keys()) this.#forget(key);
  }

  async #waiting(key: string, name: PipelineName, id: number): Promise<WaitReason[]> {
    const cached = this.#cached.get(key);
    const startedAt = this.#now();
    if (cached !== undefined && startedAt < cached.until) {
      cached.timer ??= setTimeout(() => {
        // The timer may fire slightly early. The next call must then be able to set another one.
        cached.timer = undefined;
        this.#options.refresh(id);
      }, cached.until - startedAt).unref();
      return cached.waiting;
    }
    const waiting = firstReasons(await this.#options.waiting(name));
    clearTimeout(cached?.timer);
    const endedAt = this.#now();
    this.#cached.set(key, { waiting, until: endedAt + (endedAt - startedAt) * PAUSE_FACTOR });
    return waiting;
  }

  #forget(key: string): void {
    clearTimeout(this.#cached.get(key)?.timer);
    this.#cached.delete(key);
  }
}

/** The first reason of each job and build. Builds come first, because they are closer to their start. */
function firstReasons(view: WaitingView | undefined): WaitReason[] {
  const builds = (view?.builds ?? []).flatMap(({ job, number, reasons: [reason] }) =>
    reason === undefined ? [] : [{ job, number, reason }],
  );
  const jobs = (view?.jobs ?? []).flatMap(({ name, reasons: [reason] }) =>
    reason === undefined ? [] : [{ job: name, reason }],
  );
  return [...builds, ...jobs];
}
