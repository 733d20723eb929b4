import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { App } from './route.ts';

/** Limits above which a process refuses requests. */
export interface PressureLimits {
  /** Mean delay of the event loop over a second, in milliseconds. */
  delay: number;
  heapBytes: number;
}

export const PRESSURE_LIMITS: PressureLimits = {
  delay: 500,
  heapBytes: Math.floor(getHeapStatistics().heap_size_limit * 0.9),
};

/** How long a reading counts. The plugin measures once a second. */
const READING_MS = 20;

/**
 * Returns a function that says whether the process is overloaded: a request would then time out, so it is
 * better refused at once. The plugin only measures, because its own hook would look up the route at each
 * request.
 */
export function watchPressure(app: App, { delay, heapBytes }: PressureLimits): () => boolean {
  void app.register(underPressure, {});
  let readAt = -Infinity;
  let isOverloaded = false;
  return () => {
    const now = performance.now();
    if (now - readAt < READING_MS) return isOverloaded;
    readAt = now;
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    // The delay is infinite while it has not been measured, for a second after a slow start.
    isOverloaded = (eventLoopDelay > delay && eventLoopDelay !== Infinity) || heapUsed > heapBytes;
    return isOverloaded;
  };
}
