import { env } from 'node:process';

/** Number of runs of a property test: `count` × the environment variable MORE_RUNS. */
export const propertyRuns = (count: number): number => count * Number(env['MORE_RUNS'] ?? 1);
