import { runProgram } from '#e2e/support/command.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { podsOf, type Pod } from './containers.ts';
import type { ForeignPod } from './history.ts';

/** What the code of a fault can use. */
export interface FaultContext {
  team: string;
  /** Records the target. A fault calls this just before it hits the target. `pod`: see `Fault`. */
  recordTarget: (target: string, pod?: string) => void;
  /** Waits for the duration of the fault, or until the run is stopped. */
  hold: () => Promise<void>;
  /** Records Pods that a hostile tenant created. */
  recordForeignPods: (pods: readonly ForeignPod[]) => void;
  /**
   * Picks one of the candidates. With the same seed and equally many candidates, it picks the one at the same
   * position.
   */
  pick: <T>(candidates: readonly T[]) => T;
}

export interface FaultKind {
  name: string;
  weight: number;
  /** Shortest and longest duration in seconds; absent for instant faults. */
  seconds?: readonly [number, number];
  /** Faults of one group are not planned to overlap. */
  group: 'control plane' | 'operator' | 'gateway' | 'database' | 'builds' | 'tenant';
  inflict: (context: FaultContext) => Promise<void>;
}

/** The Pods of one component of Millrace. */
export const podsOfComponent = (name: string): Promise<Pod[]> =>
  podsOf(RELEASE.namespace, `app.kubernetes.io/component=${name}`);

export const isPodRunning = (pod: Pod): boolean =>
  !pod.deleting && pod.containers.some(({ running }) => running);

/** Runs kubectl with a timeout, because the API server may hang. Does not throw if kubectl fails. */
export const kubectlWithTimeout = (args: readonly string[], input = ''): Promise<unknown> =>
  runProgram('kubectl', ['--request-timeout=8s', ...args], { input });
