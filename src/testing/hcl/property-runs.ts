import { env } from 'node:process';

/** MORE_RUNS of the environment: 10 for a long run, 0.25 in `make check`. */
const FACTOR = Number(env['MORE_RUNS'] ?? 1);

/** Number of runs of a property test: `count` × the environment variable MORE_RUNS. */
export const propertyRuns = (count: number): number => Math.ceil(count * FACTOR);

/** Every one of them, or as many as MORE_RUNS says if it is less than 1. */
export function someOf<T>(all: readonly T[]): T[] {
  const every = Math.max(1, Math.round(1 / FACTOR));
  return all.filter((_, index) => index % every === 0);
}
