/** Work that may go on at a time in this process: for one owner, and for all of them. */
export interface WorkLimits {
  ofOne: number;
  ofAll: number;
}

export interface LimitedWork {
  /** Does the work and holds a place until it ends. Without a free place, says at once which limit is reached. */
  hold<T>(owner: string, work: () => Promise<T>): Promise<{ done: T } | { full: 'one' | 'all' }>;
}

/** Limits work by its owner, a team or an account, so that none of them takes all places. */
export function limitWork({ ofOne, ofAll }: WorkLimits): LimitedWork {
  const underWay = new Map<string, number>();
  let all = 0;
  const count = (owner: string, change: 1 | -1): void => {
    const own = (underWay.get(owner) ?? 0) + change;
    if (own === 0) underWay.delete(owner);
    else underWay.set(owner, own);
    all += change;
  };
  return {
    async hold(owner, work) {
      if ((underWay.get(owner) ?? 0) >= ofOne) return { full: 'one' };
      if (all >= ofAll) return { full: 'all' };
      count(owner, 1);
      try {
        return { done: await work() };
      } finally {
        count(owner, -1);
      }
    },
  };
}
