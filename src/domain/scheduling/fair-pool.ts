/** Seats (workers, slots) that several parties share. */
export interface FairPool<Seat> {
  /** Resolves at once if a seat is free, otherwise when it is the turn of this party. */
  acquire(party: string): Promise<Seat>;
  release(seat: Seat): void;
}

/**
 * Parties that wait take turns: the first request of each, then the second of each. So if one party has 1,000
 * requests waiting, another party does not have to wait for all of them.
 */
export function createFairPool<Seat>(seats: readonly Seat[]): FairPool<Seat> {
  /** A stack: the seat that was used last is taken first, since its process may still be running. */
  const free = [...seats];
  /** Requests by party, in the order of the turns. */
  const waiting = new Map<string, ((seat: Seat) => void)[]>();
  return {
    acquire(party) {
      const seat = free.pop();
      if (seat !== undefined) return Promise.resolve(seat);
      const { promise, resolve } = Promise.withResolvers<Seat>();
      waiting.set(party, [...(waiting.get(party) ?? []), resolve]);
      return promise;
    },
    release(seat) {
      const [party, requests = []] = [...waiting.entries()][0] ?? [];
      const [next, ...others] = requests;
      if (party === undefined || next === undefined) {
        free.push(seat);
        return;
      }
      waiting.delete(party);
      if (others.length > 0) waiting.set(party, others);
      next(seat);
    },
  };
}
