import type { CreatePodAnswer } from '#flows/pods/ports.ts';
import type { CheckStore } from './ports.ts';
import { closeRun } from './record-check.ts';

type Refusal = CreatePodAnswer & { answer: 'refused' };

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'releaseRun'>;
  now: () => Date;
}

/**
 * Ends a run whose Pod was refused. Returns true if the refusal is transient: then no check failed, and the
 * checks of the run are due as before.
 */
export async function endRefused(run: number, refusal: Refusal, ports: Ports): Promise<boolean> {
  const { reason, message } = refusal;
  const transient = isTransient(refusal);
  if (transient) await ports.checks.releaseRun(run, ports.now(), `${reason}: ${message}`);
  else await closeRun(run, ports, `No Pod could be created: ${message}`);
  return transient;
}

/** A limit or a taken name refused the Pod, so a later attempt may succeed. */
export function isTransient({ reason }: Refusal): boolean {
  return TRANSIENT_REASONS.has(reason);
}

const TRANSIENT_REASONS: ReadonlySet<Refusal['reason']> = new Set([
  'TeamLimit',
  'QuotaExceeded',
  'NameTaken',
  'NamespaceTerminating',
]);
