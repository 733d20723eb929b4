/** How many pieces of work may run at a time in this process: for each owner, and in total. */
export interface WorkLimits {
  perOwner: number;
  total: number;
}

export interface LimitedWork {
  /**
   * Does the work and holds a slot until the work ends. If no slot is free, does not do the work, and returns
   * at once which limit is reached.
   */
  hold<T>(owner: string, work: () => Promise<T>): Promise<{ done: T } | { full: 'owner' | 'total' }>;
}

/**
 * Returns slots for work. The owner of the work is a team or an account. If `perOwner` is less than `total`,
 * no owner can take all slots.
 */
export function limitWork({ perOwner, total }: WorkLimits): LimitedWork {
  const runningByOwner = new Map<string, number>();
  let running = 0;
  const count = (owner: string, change: 1 | -1): void => {
    const runningOfOwner = (runningByOwner.get(owner) ?? 0) + change;
    if (runningOfOwner === 0) runningByOwner.delete(owner);
    else runningByOwner.set(owner, runningOfOwner);
    running += change;
  };
  return {
    async hold(owner, work) {
      if ((runningByOwner.get(owner) ?? 0) >= perOwner) return { full: 'owner' };
      if (running >= total) return { full: 'total' };
      count(owner, 1);
      try {
        return { done: await work() };
      } finally {
        count(owner, -1);
      }
    },
  };
}
