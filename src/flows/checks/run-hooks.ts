import { explainCheckFailure } from '#domain/build/explain-check-failure.ts';
import { pickChecks } from '#domain/scheduling/pick-checks.ts';
import { MAX_HOOK_WAIT_SECONDS } from '#domain/scheduling/reachable-hooks.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { requestCheckPod, type RequestCheckPodPorts } from '#flows/pods/request-pod.ts';
import { podOfRun, type CurrentPod } from '#flows/pods/verify-pods.ts';
import type { OpenHookRun } from '#flows/pods/workloads.ts';
import { isTransient } from './check-refusal.ts';
import { checkLimits, openChecks, type CheckSlotPorts } from './check-slots.ts';
import type { CheckStore } from './ports.ts';
import { closeRun } from './record-check.ts';

interface Ports extends CheckSlotPorts, Pick<RequestCheckPodPorts, 'caches'> {
  checks: Pick<
    CheckStore,
    'openHookRuns' | 'openRuns' | 'runFacts' | 'withChecks' | 'cronNext' | 'explainHooks'
  >;
  notifications: Pick<Notifications, 'notify'>;
  cluster: CheckSlotPorts['cluster'] & RequestCheckPodPorts['cluster'] & Pick<Cluster, 'deletePod'>;
}

export interface RunHooksResult {
  /** When to call again, in milliseconds. Absent: no run is open that is still within its deadline. */
  againAfterMs?: number;
  failures: { error: unknown }[];
}

/** Pause before a run without a Pod is tried again. */
const RETRY_MS = 1000;

/**
 * Creates the Pods of open runs of hooks and of notifications, within the limits of check Pods. Gives up runs
 * that took too long: builds then start without waiting for their hooks. Level-triggered. Reports of agents
 * are handled in record-versions.ts, ends of Pods in follow-check-pods.ts.
 */
export async function runHooks(ports: Ports): Promise<RunHooksResult> {
  const result: RunHooksResult = { failures: [] };
  const open = await ports.checks.openHookRuns();
  if (open.length === 0) return result;
  const pods = ports.pods();
  const collectFailure = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => result.failures.push({ error }));
  };
  const podOf = (run: OpenHookRun): CurrentPod | undefined => podOfRun(run, pods);
  const inTime = open.filter(({ leftMs }) => leftMs > 0);
  const late = open.filter(({ leftMs }) => leftMs <= 0);
  for (const run of late) await collectFailure(giveUp(run, podOf(run), ports));
  const withoutPod = inTime.filter((run) => !run.seen && podOf(run) === undefined);
  if (withoutPod.length > 0) await collectFailure(startRuns(withoutPod, ports));
  if (inTime.length > 0) result.againAfterMs = pauseFor(inTime, withoutPod.length > 0);
  return result;
}

function pauseFor(inTime: readonly OpenHookRun[], mayRetry: boolean): number {
  const untilDeadline = Math.max(0, Math.min(...inTime.map(({ leftMs }) => leftMs)));
  return mayRetry ? Math.min(untilDeadline, RETRY_MS) : untilDeadline;
}

/**
 * Deletes the Pod before it closes the run: if the operator dies in between, the next call finds the open
 * run.
 */
async function giveUp(run: OpenHookRun, pod: CurrentPod | undefined, ports: Ports): Promise<void> {
  const { cluster, notifications } = ports;
  if (pod !== undefined && !pod.deleting) await cluster.deletePod(pod.namespace, pod.name, pod.uid, 0);
  const why = `${GIVEN_UP[run.work]} ${whyNotEnded(run, pod)}`;
  await closeRun(run.run, ports, why.trimEnd());
  notifications.notify({ topic: 'schedule', pipeline: run.pipelineId });
  notifications.notify({ topic: 'status', pipeline: run.pipelineId });
}

const GIVEN_UP: Record<OpenHookRun['work'], string> = {
  hooks: `The hooks had not ended after ${MAX_HOOK_WAIT_SECONDS} s, and builds start without them.`,
  notifications: 'The Pod that sends the notification did not end in time.',
};

function whyNotEnded({ seen, work, refused = '' }: OpenHookRun, pod: PodFacts | undefined): string {
  if (seen) return '';
  return pod === undefined ? refused : explainCheckFailure(pod, work);
}

/** Creates Pods within the limits. All other open runs count against the limits, since they may have Pods. */
async function startRuns(withoutPod: OpenHookRun[], ports: Ports): Promise<void> {
  const ids = new Set(withoutPod.map(({ run }) => run));
  const others = (await ports.checks.openRuns()).filter(({ run }) => !ids.has(run));
  const running = openChecks(others, ({ run }) => String(run), ports);
  const candidates = withoutPod.map((run) => ({ ...run, scope: run.run, group: `hooks ${run.run}` }));
  const { groups, held } = pickChecks(candidates, running, checkLimits(running, ports));
  for (const run of groups.flat()) await startRun(run, ports);
  for (const { run } of held) await ports.checks.explainHooks(run, 'A limit of check Pods was reached.');
}

async function startRun({ run, pipelineId }: OpenHookRun, ports: Ports): Promise<void> {
  const { checks, notifications } = ports;
  const facts = await checks.runFacts(run);
  if (facts === undefined) return;
  const pod = await requestCheckPod(facts, ports);
  if (pod.answer !== 'refused') return;
  if (isTransient(pod)) {
    await checks.explainHooks(run, `${pod.reason}: ${pod.message}`);
    return;
  }
  await closeRun(run, ports, `No Pod could be created: ${pod.message}`);
  notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  notifications.notify({ topic: 'status', pipeline: pipelineId });
}
