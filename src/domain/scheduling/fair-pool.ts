/** Seats that several parties share. */
export interface Seats<Seat> {
  /** A free seat, or the next one that is this party's turn. */
  take(share: string): Promise<Seat>;
  leave(seat: Seat): void;
}

/**
 * Parties that wait take turns: the first of each, then the second of each. A party with 1,000 texts holds up
 * another one's by those that are being read, and no others.
 */
export function shareSeats<Seat>(seats: readonly Seat[]): Seats<Seat> {
  /** The one last used, which has a process, comes last. */
  const free = [...seats];
  /** In the order of their turns. */
  const waiting = new Map<string, ((seat: Seat) => void)[]>();
  return {
    take(share) {
      const seat = free.pop();
      if (seat !== undefined) return Promise.resolve(seat);
      const { promise, resolve } = Promise.withResolvers<Seat>();
      waiting.set(share, [...(waiting.get(share) ?? []), resolve]);
      return promise;
    },
    leave(seat) {
      const [share, [next, ...others] = []] = [...waiting.entries()][0] ?? [];
      if (share === undefined || next === undefined) {
        free.push(seat);
        return;
      }
      waiting.delete(share);
      if (others.length > 0) waiting.set(share, others);
      next(seat);
    },
  };
}
