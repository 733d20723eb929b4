import type { PipelineName } from '#flows/names.ts';
import type { PipelineFacts, WaitReason } from '#flows/pipelines/ports.ts';
import type { WaitingView } from '#flows/views/ports.ts';

export interface WaitsOptions {
  facts(name: PipelineName): Promise<PipelineFacts | undefined>;
  waiting(name: PipelineName): Promise<WaitingView | undefined>;
  /** What is known of this pipeline (row id) is old by now: ask for its facts again. */
  again(pipeline: number): void;
  now?: () => number;
}

/** Looking for reasons takes at most one part in so many of the time, however busy a large pipeline is. */
const SHARE = 20;

interface Known {
  waiting: WaitReason[];
  /** Not looked for again before. */
  until: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Joins to the facts of a pipeline why its jobs and builds wait: as a decision would say it now, or would
 * have a moment ago.
 */
export class Waits {
  readonly #options: WaitsOptions;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async facts(name: PipelineName): Promise<PipelineFacts | undefined> {
    const facts = await this.#options.facts(name);
    const key = `${name.team}/${name.pipeline}`;
    if (facts === undefined) {
      this.#forget(key);
      return undefined;
    }
    return { ...facts, waiting: await this.#waiting(key, name, facts.id) };
  }

  /** Over all pipelines that were looked at. */
  byReason(): [{ what: 'job' | 'build'; reason: string }, number][] {
    const counts = new Map<string, [{ what: 'job' | 'build'; reason: string }, number]>();
    for (const { number, reason } of [...this.#known.values()].flatMap(({ waiting }) => waiting)) {
      const what = number === undefined ? 'job' : 'build';
      const key = `${what} ${reason.code}`;
      counts.set(key, [{ what, reason: reason.code }, (counts.get(key)?.[1] ?? 0) + 1]);
    }
    return [...counts.values()];
  }

  stop(): void {
    for (const key of this.#known.keys()) this.#forget(key);
  }

  async #waiting(key: string, name: PipelineName, id: number): Promise<WaitReason[]> {
    const known = this.#known.get(key);
    const begun = this.#now();
    if (known !== undefined && begun < known.until) {
      known.timer ??= setTimeout(() => {
        // A timer may fire a moment early: the next look must be able to set another one.
        known.timer = undefined;
        this.#options.again(id);
      }, known.until - begun).unref();
      return known.waiting;
    }
    const waiting = firstReasons(await this.#options.waiting(name));
    clearTimeout(known?.timer);
    const ended = this.#now();
    this.#known.set(key, { waiting, until: ended + (ended - begun) * SHARE });
    return waiting;
  }

  #forget(key: string): void {
    clearTimeout(this.#known.get(key)?.timer);
    this.#known.delete(key);
  }
}

/** Builds first: they are nearer to their start. */
function firstReasons(view: WaitingView | undefined): WaitReason[] {
  const builds = (view?.builds ?? []).flatMap(({ job, number, reasons: [reason] }) =>
    reason === undefined ? [] : [{ job, number, reason }],
  );
  const jobs = (view?.jobs ?? []).flatMap(({ name, reasons: [reason] }) =>
    reason === undefined ? [] : [{ job: name, reason }],
  );
  return [...builds, ...jobs];
}
