import { limitWork } from './limit-work.ts';

/** How many triggers may wait for checks at a time. Each of them keeps an HTTP request open. */
export const MAX_WAITING_TRIGGERS_PER_ACCOUNT = 20;
export const MAX_WAITING_TRIGGERS = 500;

/** Limits the triggers that wait for checks in this process. */
export class TriggerLimits {
  readonly #slots = limitWork({ perOwner: MAX_WAITING_TRIGGERS_PER_ACCOUNT, total: MAX_WAITING_TRIGGERS });

  /** Does the work, which waits for checks. If too many triggers wait, does nothing and returns `busy`. */
  async wait<T>(account: string, work: () => Promise<T>): Promise<T | { answer: 'busy' }> {
    const result = await this.#slots.hold(account, work);
    return 'done' in result ? result.done : { answer: 'busy' };
  }
}
