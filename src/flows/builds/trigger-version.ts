import { cascadeJobs } from '#domain/scheduling/cascade.ts';
import { NOT_DECIDED } from '#domain/scheduling/reasons.ts';
import type { ResourceName } from '#flows/names.ts';
import type { ActionPorts, ActionRefused, VersionTriggered } from './action-ports.ts';
import { decideAndWrite } from './decide-with-pages.ts';
import { notifyOfAction } from './notify-of-action.ts';
import { buildRefOf } from './schedule-jobs.ts';
import type { TriggerStore, VersionTransaction } from './trigger-ports.ts';

interface Ports extends Pick<ActionPorts, 'notifications' | 'now'> {
  builds: Pick<TriggerStore, 'withVersionRequests'>;
}

/**
 * Triggers a build with the version in each job that gets the resource without `passed`. A job downstream
 * gets its build when the builds upstream have succeeded or ended with a warning.
 */
export async function triggerVersion(
  resource: ResourceName,
  request: { version: number; by: string },
  ports: Ports,
): Promise<VersionTriggered | ActionRefused> {
  const at = ports.now();
  const answer = await ports.builds.withVersionRequests(
    resource,
    { ...request, at },
    async (tx) => await answerRequests(tx, at),
  );
  if (answer === undefined) return { answer: 'unknown' };
  notifyOfAction(answer, ports);
  return answer;
}

async function answerRequests(tx: VersionTransaction, at: Date): Promise<VersionTriggered> {
  if (tx.requests.length > 0) {
    const gets = await tx.gets();
    const jobsWithoutPassed = gets.filter(({ passed }) => passed.length === 0).map(({ job }) => job);
    await tx.requestFollowing(cascadeJobs(gets, [...new Set(jobsWithoutPassed)]));
  }
  const { facts, decision, written } = await decideAndWrite(tx, at);
  const jobOf = new Map(tx.requests.map(({ job, request }) => [request, job]));
  const nameOf = new Map(facts.jobs.map(({ id, name }) => [id, name]));
  const made = written.made.filter(({ request }) => request !== undefined && jobOf.has(request));
  const refusals = decision.refused.filter(({ request }) => jobOf.has(request));
  const answered = new Set([...made, ...refusals].map(({ request }) => request));
  const leftOpen = tx.requests.filter(({ request }) => !answered.has(request));
  const refused = [...refusals, ...leftOpen.map(({ request }) => ({ request, reasons: [NOT_DECIDED] }))];
  return {
    answer: 'done',
    pipelineId: tx.pipelineId,
    stopped: written.interrupted,
    builds: made.map(buildRefOf),
    refused: refused.map(({ request, reasons }) => ({
      job: nameOf.get(jobOf.get(request) ?? 0) ?? '',
      reasons,
    })),
  };
}
