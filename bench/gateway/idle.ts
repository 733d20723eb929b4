import { setTimeout as sleep } from 'node:timers/promises';
import { digits, type Part } from './part.ts';

const IDLE_MS = 3000;

/** Event loop delay of an idle gateway, the baseline for the other parts. */
export const idle: Part = {
  name: 'idle',
  async measure({ startGateway }) {
    const gateway = await startGateway();
    // Discards the delays of the start.
    await gateway.takeDelay();
    await sleep(IDLE_MS);
    const { p99 } = await gateway.takeDelay();
    await gateway.stop();
    return [['event loop delay p99, idle gateway', `${digits(p99)} ms`, '']];
  },
};
