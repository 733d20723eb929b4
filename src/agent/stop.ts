/** Why an agent ends its steps before the plan is done. */
export type StopReason = 'cancelled' | 'timeout' | 'terminated' | 'refused' | 'session-over';

/** Asked for at most once: the first reason stays, but a session that is over overrules it. */
export class Stop {
  readonly #controller = new AbortController();
  #reason: StopReason | undefined;

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  ask(reason: StopReason): void {
    if (this.#reason === undefined || reason === 'session-over') this.#reason = reason;
    this.#controller.abort();
  }
}
