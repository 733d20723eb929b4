import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '#defined';
import { messageOf } from '#tools/cluster/explain.ts';
import type { FaultContext } from './fault-kind.ts';
import type { Fault, SoakHistory } from './history.ts';
import type { PlannedFault } from './plan-faults.ts';

export interface FaultRun {
  team: string;
  history: SoakHistory;
  /** Ends the run early: lasting faults are undone at once. */
  stop: AbortSignal;
  print: (line: string) => void;
}

/** Sleeps; returns early, without an error, when the run is stopped. */
export const sleepUnless = async (ms: number, stop: AbortSignal): Promise<void> => {
  await sleep(Math.max(0, ms), undefined, { signal: stop }).catch(() => undefined);
};

/** Inflicts each planned fault at its time; returns when the last one is undone. */
export const runFaults = async (plan: readonly PlannedFault[], run: FaultRun): Promise<void> => {
  const start = Date.now();
  const running: Promise<void>[] = [];
  for (const planned of plan) {
    await sleepUnless(start + planned.at * 1000 - Date.now(), run.stop);
    if (run.stop.aborted) break;
    running.push(inflict(planned, run));
  }
  await Promise.all(running);
};

const inflict = async (
  { kind, seconds, choice }: PlannedFault,
  { team, history, stop, print }: FaultRun,
): Promise<void> => {
  const fault: Fault = { name: kind.name, target: '', from: Date.now() };
  history.faults.push(fault);
  const context: FaultContext = {
    team,
    recordTarget: (target, pod) => {
      Object.assign(fault, { target, from: Date.now(), ...defined({ pod }) });
      print(`${kind.name}: ${target}${seconds > 0 ? `, ${seconds.toFixed(1)} s` : ''}`);
    },
    recordForeignPods: (pods) => history.foreign?.push(...pods),
    hold: () => sleepUnless(seconds * 1000, stop),
    pick: (candidates) => {
      const chosen = candidates[Math.floor(choice * candidates.length)];
      if (chosen === undefined) throw new Error('there is none to choose from');
      return chosen;
    },
  };
  try {
    await kind.inflict(context);
  } catch (error) {
    fault.skipped = messageOf(error);
    if (fault.target !== '') print(`${kind.name}: ${fault.skipped}`);
  }
  fault.to = Date.now();
};
