import { setTimeout as sleep } from 'node:timers/promises';
import { digits, type Part } from './part.ts';

const REST_MS = 3000;

/** Usage and event loop delay of an idle gateway: the baseline of the other parts. */
export const idle: Part = {
  name: 'idle',
  async measure({ startGateway }) {
    const gateway = await startGateway();
    await gateway.delay();
    await sleep(REST_MS);
    const { p99 } = await gateway.delay();
    await gateway.stop();
    return [['event loop delay p99, idle gateway', `${digits(p99)} ms`, '']];
  },
};
