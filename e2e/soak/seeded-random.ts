/** Random numbers from a seed: the same seed gives the same sequence. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number of at least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00;
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Picks one candidate with a probability proportional to its weight. */
  weighted<T extends { weight: number }>(candidates: readonly T[]): T {
    const total = candidates.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.next() * total;
    for (const candidate of candidates) {
      left -= candidate.weight;
      if (left < 0) return candidate;
    }
    const last = candidates.at(-1);
    if (last === undefined) throw new Error('There is nothing to choose from.');
    return last;
  }
}
