import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { App } from './access/route.ts';
import { Problem } from './problem.ts';

/** From when on a process takes nothing more. */
export interface PressureLimits {
  /** Mean delay of the event loop over a second, in milliseconds. */
  delay: number;
  heapBytes: number;
}

export const PRESSURE_LIMITS: PressureLimits = {
  delay: 500,
  heapBytes: Math.floor(getHeapStatistics().heap_size_limit * 0.9),
};

/** Refuses at once what would time out later; only the probe is still answered. */
export function refuseUnderPressure(app: App, { delay, heapBytes }: PressureLimits): void {
  void app.register(underPressure, {
    maxEventLoopDelay: delay,
    maxHeapUsedBytes: heapBytes,
    pressureHandler: async ({ routeOptions }, _reply, _type, value) => {
      // Infinite: the loop was not looked at yet, which is so for a second after a start that took long.
      if (routeOptions.url === '/health' || value === Infinity) return;
      throw new Problem('unavailable', 'Too much to do at once. Try again in a second.');
    },
  });
}
