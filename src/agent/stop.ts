/** Why an agent ends steps early. */
export type StopReason =
  /** A person or the scheduler cancelled the build. */
  | 'cancelled'
  /** Another step of the group failed. */
  | 'fail-fast'
  | 'step-timeout'
  | 'group-timeout'
  | 'job-timeout'
  /** The hooks of a cancelled build took too long. */
  | 'cleanup-timeout'
  /** The Pod is being deleted. */
  | 'terminated'
  /** The gateway refused the events of this agent for good. */
  | 'refused'
  /** The gateway does not accept this session any more, mostly because another attempt replaced this one. */
  | 'session-over';

/** Reasons that stop the whole agent: nothing runs after them, not even hooks. */
const FINAL: ReadonlySet<StopReason> = new Set(['terminated', 'refused', 'session-over']);

/**
 * A switch that stops a part of the work and the parts inside it, its children. The first reason stays, with
 * two exceptions: a final reason of the whole agent hides the reason of a part, and `session-over` replaces
 * every other reason.
 */
export class Stop {
  readonly #controller = new AbortController();
  readonly #parent: Stop | undefined;
  #reason: StopReason | undefined;

  constructor(parent?: Stop) {
    this.#parent = parent;
    if (parent?.signal.aborted === true) this.#controller.abort();
    else parent?.signal.addEventListener('abort', this.#inherit, { once: true });
  }

  get reason(): StopReason | undefined {
    const outer = this.#parent?.reason;
    return outer !== undefined && FINAL.has(outer) ? outer : (this.#reason ?? outer);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The agent has to end at once, without hooks. */
  get isFinal(): boolean {
    return this.reason !== undefined && FINAL.has(this.reason);
  }

  /** Stops this part of the work. A final reason stops the parts around it too. */
  request(reason: StopReason): void {
    if (FINAL.has(reason) && this.#parent !== undefined) {
      this.#parent.request(reason);
      return;
    }
    if (this.#reason === undefined || reason === 'session-over') this.#reason = reason;
    this.#controller.abort();
  }

  /**
   * Awaits work during which no step runs. Rejects as soon as this part is stopped, because no step has to
   * end first.
   */
  unlessStopped<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const rejectWork = (): void => reject(new Error('the Pod was terminated before a step began'));
      if (this.signal.aborted) rejectWork();
      else this.signal.addEventListener('abort', rejectWork, { once: true });
      work.then(resolve, reject);
    });
  }

  child(): Stop {
    return new Stop(this);
  }

  /**
   * Returns a child that stops for `reason` after this many seconds. Undefined: the child has no limit of its
   * own. `release` ends the timer and the link to the parent.
   */
  limited(seconds: number | undefined, reason: StopReason): { stop: Stop; release: () => void } {
    const stop = this.child();
    const timer = seconds === undefined ? undefined : setTimeout(() => stop.request(reason), seconds * 1000);
    const release = (): void => {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', stop.#inherit);
    };
    return { stop, release };
  }

  readonly #inherit = (): void => this.#controller.abort();
}
