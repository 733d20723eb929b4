import { env } from 'node:process';

/** How often a property is tried: as often as said, times MORE_RUNS. */
export const times = (count: number): number => count * Number(env['MORE_RUNS'] ?? 1);
