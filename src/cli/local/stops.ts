import { Stop } from '#agent/stop.ts';

export interface Stops {
  /** Stops everything, hooks included. */
  root: Stop;
  /** Stops the plan; hooks still run. */
  plan: Stop;
}

export function newStops(): Stops {
  const root = new Stop();
  return { root, plan: root.child() };
}
