import type { CreatePodAnswer } from '#flows/pods/ports.ts';
import type { CheckStore } from './ports.ts';
import { closeRun } from './record-check.ts';

type Refusal = CreatePodAnswer & { answer: 'refused' };

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'cronNext' | 'releaseRun'>;
  now: () => Date;
}

/**
 * Ends a run whose Pod was refused. Returns true if the refusal is transient: then no check counts as failed,
 * and the checks of the run are due again at once.
 */
export async function endRefused(run: number, refusal: Refusal, ports: Ports): Promise<boolean> {
  const { reason, message } = refusal;
  const transient = isTransient(refusal);
  if (transient) await ports.checks.releaseRun(run, ports.now(), `${reason}: ${message}`);
  else await closeRun(run, ports, `No Pod could be created: ${message}`);
  return transient;
}

/**
 * A later attempt to create the Pod may succeed: the cause is a limit, a quota, a taken name, or a namespace
 * that is being deleted.
 */
export function isTransient({ reason }: Refusal): boolean {
  return TRANSIENT_REASONS.has(reason);
}

const TRANSIENT_REASONS: ReadonlySet<Refusal['reason']> = new Set([
  'TeamLimit',
  'QuotaExceeded',
  'NameTaken',
  'NamespaceTerminating',
]);
