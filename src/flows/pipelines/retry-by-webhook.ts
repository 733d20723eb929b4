import { defined } from '#defined';
import {
  decideRerun,
  refuseRerun,
  type RerunRefusal,
  type RerunRequest,
} from '#domain/build/rerun-request.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { ActionPorts } from '#flows/builds/action-ports.ts';
import { retryBuild } from '#flows/builds/retry-build.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { BuildRef } from '#flows/names.ts';

interface Ports extends ActionPorts {
  checks: Pick<CheckStore, 'resourceOfToken'>;
}

export type RerunAnswer =
  /** `of`: the build that the webhook names. `build`: the new build. */
  | { answer: 'retried'; of: BuildRef; build: BuildRef }
  | { answer: 'refused'; reasons: (Reason | RerunRefusal)[] }
  /** No resource has the token. */
  | { answer: 'unknown' };

/**
 * Retries the build that a forge's webhook names. The caller has verified the signature. Repeating the call
 * changes nothing: only the newest retry of a build can be retried.
 */
export async function retryByWebhook(
  { tokenHash, request }: { tokenHash: string; request: RerunRequest },
  ports: Ports,
): Promise<RerunAnswer> {
  if (request.kind === 'problem') return refuseRerun(request.problem);
  const owner = await ports.checks.resourceOfToken(tokenHash);
  if (owner === undefined) return { answer: 'unknown' };
  const { team, pipeline, resource } = owner;
  const decision = decideRerun(request, owner);
  if (decision.answer === 'refused') return decision;
  const { job, number, sender } = decision;
  const ref = { team, pipeline, job, number };
  const by = `webhook of ${resource}`;
  const details = { credential: 'webhook', resource, ...defined({ sender }) };
  const retried = await retryBuild(ref, by, ports, { audit: details });
  if (retried.answer === 'unknown') return refuseRerun('BuildUnknown');
  return retried.answer === 'refused' ? retried : { answer: 'retried', of: ref, build: retried.build };
}
