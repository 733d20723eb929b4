import { env } from 'node:process';

/** MORE_RUNS of the environment: 10 for a long run, 0.25 in `make check`. */
const FACTOR = Number(env['MORE_RUNS'] ?? 1);

/** Number of runs of a property test: `count` × the environment variable MORE_RUNS. */
export const propertyRuns = (count: number): number => Math.ceil(count * FACTOR);

/** All items, or only a share of them if MORE_RUNS is less than 1. */
export function someOf<T>(items: readonly T[]): T[] {
  const every = Math.max(1, Math.round(1 / FACTOR));
  return items.filter((_, index) => index % every === 0);
}
