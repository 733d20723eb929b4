/** Triggers that may wait for checks at a time; each holds a request open. */
export const MAX_WAITING_TRIGGERS_PER_ACCOUNT = 20;
export const MAX_WAITING_TRIGGERS = 500;

/** Limits the triggers that wait for checks in this process. */
export class TriggerLimits {
  readonly #byAccount = new Map<string, number>();
  #inAll = 0;

  async wait<T>(account: string, work: () => Promise<T>): Promise<T | { answer: 'busy' }> {
    const own = this.#byAccount.get(account) ?? 0;
    if (own >= MAX_WAITING_TRIGGERS_PER_ACCOUNT || this.#inAll >= MAX_WAITING_TRIGGERS)
      return { answer: 'busy' };
    this.#count(account, 1);
    try {
      return await work();
    } finally {
      this.#count(account, -1);
    }
  }

  #count(account: string, by: number): void {
    const own = (this.#byAccount.get(account) ?? 0) + by;
    if (own > 0) this.#byAccount.set(account, own);
    else this.#byAccount.delete(account);
    this.#inAll += by;
  }
}
