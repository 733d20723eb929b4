import { run } from '#e2e/support/command.ts';
import { RELEASE } from '#e2e/support/gateway.ts';
import { podsOf, type Pod } from './containers.ts';
import type { ForeignPod } from './history.ts';

/** What a fault has at hand while it is inflicted. */
export interface Stage {
  team: string;
  /** Tells what is hit, just before it is. */
  hit: (target: string, pod?: string) => void;
  /** Waits as long as the fault is to last, or until the run is to end. */
  hold: () => Promise<void>;
  /** Writes down Pods that a hostile tenant made. */
  foreign: (pods: readonly ForeignPod[]) => void;
  pick: <T>(candidates: readonly T[]) => T;
}

export interface FaultKind {
  name: string;
  weight: number;
  /** How long it lasts, in seconds; absent: a moment. */
  seconds?: readonly [number, number];
  /** Those of one group never overlap. */
  group: 'control plane' | 'operator' | 'gateway' | 'database' | 'builds' | 'tenant';
  inflict: (stage: Stage) => Promise<void>;
}

/** The Pods of a part of Millrace. */
export const component = (name: string): Promise<Pod[]> =>
  podsOf(RELEASE.namespace, `app.kubernetes.io/component=${name}`);

export const isRunning = (pod: Pod): boolean =>
  !pod.deleting && pod.containers.some(({ running }) => running);

/** kubectl that may not hang with the API server. */
export const kubectl = (args: readonly string[], input = ''): Promise<unknown> =>
  run('kubectl', ['--request-timeout=8s', ...args], { input });
