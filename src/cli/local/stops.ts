import { Stop } from '#agent/stop.ts';

export interface Stops {
  /** Of everything. */
  root: Stop;
  /** Of the plan: hooks go on after it. */
  plan: Stop;
}

export function newStops(): Stops {
  const root = new Stop();
  return { root, plan: root.child() };
}
