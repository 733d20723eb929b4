import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { App } from './access/route.ts';

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

/** Whether what comes now would time out later, and is better refused at once. The plugin only measures: its own hook asks for the route each time. */
export function watchPressure(app: App, { delay, heapBytes }: PressureLimits): () => boolean {
  void app.register(underPressure, {});
  return () => {
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    // Infinite: the loop was not looked at yet, which is so for a second after a start that took long.
    return (eventLoopDelay > delay && eventLoopDelay !== Infinity) || heapUsed > heapBytes;
  };
}
