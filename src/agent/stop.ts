/** Why an agent ends its steps early. */
export type StopReason = 'cancelled' | 'timeout' | 'terminated' | 'refused' | 'session-over';

/** A request to stop. The first reason stays, except that `session-over` replaces it. */
export class Stop {
  readonly #controller = new AbortController();
  #reason: StopReason | undefined;

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  request(reason: StopReason): void {
    if (this.#reason === undefined || reason === 'session-over') this.#reason = reason;
    this.#controller.abort();
  }
}
