import type { CreatePodAnswer } from '#flows/pods/ports.ts';
import type { CheckStore } from './ports.ts';
import { closeRun } from './record-check.ts';

type Refusal = CreatePodAnswer & { answer: 'refused' };

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'releaseRun'>;
  now: () => Date;
}

/**
 * Ends a run whose Pod was refused. True: there was no room, so nothing failed and its checks are due as
 * before.
 */
export async function endRefused(run: number, refusal: Refusal, ports: Ports): Promise<boolean> {
  const { reason, message } = refusal;
  const passes = isTransient(refusal);
  if (passes) await ports.checks.releaseRun(run, ports.now(), `${reason}: ${message}`);
  else await closeRun(run, ports, `No Pod could be made: ${message}`);
  return passes;
}

/** Room or a free Pod name was missing: a later attempt may succeed. */
export function isTransient({ reason }: Refusal): boolean {
  return PASSING.has(reason);
}

const PASSING: ReadonlySet<Refusal['reason']> = new Set([
  'TeamLimit',
  'QuotaExceeded',
  'NameTaken',
  'NamespaceTerminating',
]);
