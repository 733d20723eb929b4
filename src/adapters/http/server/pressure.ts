import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { App } from './route.ts';

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

/** The plugin looks once a second. */
const HOLDS_MS = 20;

/**
 * Whether what comes now would time out later, and is better refused at once. The plugin only measures: its
 * own hook asks for the route of each request, and its figures are worth asking for less often than requests
 * come.
 */
export function watchPressure(app: App, { delay, heapBytes }: PressureLimits): () => boolean {
  void app.register(underPressure, {});
  let askedAt = -Infinity;
  let pressed = false;
  return () => {
    const now = performance.now();
    if (now - askedAt < HOLDS_MS) return pressed;
    askedAt = now;
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    // Infinite: the loop was not looked at yet, which is so for a second after a start that took long.
    pressed = (eventLoopDelay > delay && eventLoopDelay !== Infinity) || heapUsed > heapBytes;
    return pressed;
  };
}
