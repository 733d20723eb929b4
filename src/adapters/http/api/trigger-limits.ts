import { limitWork } from './limit-work.ts';

/** Triggers that may wait for checks at a time; each holds a request open. */
export const MAX_WAITING_TRIGGERS_PER_ACCOUNT = 20;
export const MAX_WAITING_TRIGGERS = 500;

/** Limits the triggers that wait for checks in this process. */
export class TriggerLimits {
  readonly #places = limitWork({ ofOne: MAX_WAITING_TRIGGERS_PER_ACCOUNT, ofAll: MAX_WAITING_TRIGGERS });

  async wait<T>(account: string, work: () => Promise<T>): Promise<T | { answer: 'busy' }> {
    const waited = await this.#places.hold(account, work);
    return 'done' in waited ? waited.done : { answer: 'busy' };
  }
}
