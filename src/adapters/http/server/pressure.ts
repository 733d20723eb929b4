import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { App } from './route.ts';

/** Limits above which a process refuses requests, except those of probes. */
export interface PressureLimits {
  /** Mean delay of the event loop over a second, in milliseconds. */
  delay: number;
  heapBytes: number;
}

export const PRESSURE_LIMITS: PressureLimits = {
  delay: 500,
  heapBytes: Math.floor(getHeapStatistics().heap_size_limit * 0.9),
};

/** How long values that were read from the plugin are reused, in milliseconds. It measures once a second. */
const MEASUREMENT_MS = 20;

/**
 * Returns a function that says whether the process is overloaded. A request to an overloaded process would
 * time out, so it is better refused at once. The plugin only measures: its own hook would look up the route
 * at each request.
 */
export function watchPressure(app: App, { delay, heapBytes }: PressureLimits): () => boolean {
  void app.register(underPressure, {});
  let readAt = -Infinity;
  let isOverloaded = false;
  return () => {
    const now = performance.now();
    if (now - readAt < MEASUREMENT_MS) return isOverloaded;
    readAt = now;
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    // The plugin reports an infinite delay if it has no measurement, as in the first second after a slow
    // start.
    isOverloaded = (eventLoopDelay > delay && eventLoopDelay !== Infinity) || heapUsed > heapBytes;
    return isOverloaded;
  };
}
