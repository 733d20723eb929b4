import { setInterval } from 'node:timers';
import type { BellTopic } from '#flows/ports.ts';
import type { Leadership } from './lead.ts';
import type { Reconciling } from './reconcile.ts';
import { workQueue } from './reconcile.ts';

export interface Loops {
  stuckMs(): number;
  stop(): Promise<void>;
}

/** Whatever a lost ring leaves undone is found this much later. */
const TICK_MS = 10_000;

/** Work that is rung for, and looked for at each tick in any case; one run of each at a time. */
export function startLoops(leadership: Leadership, reconciling: Reconciling): Loops {
  const { database } = leadership;
  const work = new Map<string, () => Promise<void>>();
  const queue = workQueue(leadership, 'loop', async (name) => {
    await work.get(name)?.();
    return 'done';
  });
  const listening = database.bell.listen(['status'], (topic: BellTopic, id) => {
    if (topic === 'status') reconciling.factsChanged(id);
  });
  const tick = setInterval(() => {
    for (const name of work.keys()) queue.add(name);
  }, TICK_MS);
  return {
    stuckMs: () => queue.stuckMs(),
    stop: async () => {
      listening();
      clearInterval(tick);
      await queue.stop();
    },
  };
}
