import type { CheckStore } from './check-ports.ts';
import type { CreatePodAnswer } from './cluster-ports.ts';

type Refusal = CreatePodAnswer & { answer: 'refused' };

interface Ports {
  checks: Pick<CheckStore, 'closeRun' | 'releaseRun'>;
  now: () => Date;
}

/** Ends a run whose Pod was refused. True: for want of room, so nothing has failed, and its checks are due as before. */
export async function endRefused(
  run: number,
  { reason, message }: Refusal,
  { checks, now }: Ports,
): Promise<boolean> {
  const passes = PASSING.has(reason);
  if (passes) await checks.releaseRun(run, now(), `${reason}: ${message}`);
  else await checks.closeRun(run, now(), `No Pod could be made: ${message}`);
  return passes;
}

const PASSING: ReadonlySet<Refusal['reason']> = new Set([
  'TeamLimit',
  'QuotaExceeded',
  'NamespaceTerminating',
]);
