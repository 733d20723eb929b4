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
  checks: Pick<CheckStore, 'openHookRuns' | 'openRuns' | 'runFacts' | 'withChecks' | 'explainHooks'>;
  notifications: Pick<Notifications, 'notify'>;
  cluster: CheckSlotPorts['cluster'] & RequestCheckPodPorts['cluster'] & Pick<Cluster, 'deletePod'>;
}

export interface HooksRun {
  /** When to call again; absent: no hooks are left. */
  againAfterMs?: number;
  failures: { error: unknown }[];
}

/** When hooks without a Pod are tried again. */
const AGAIN_MS = 1000;

/**
 * Creates Pods for hooks, and for notifications of builds without a Pod, within the limits of checks. Releases
 * builds whose hooks took too long. Level-triggered: the reports of agents and the ends of Pods are handled
 * elsewhere.
 */
export async function runHooks(ports: Ports): Promise<HooksRun> {
  const done: HooksRun = { failures: [] };
  const open = await ports.checks.openHookRuns();
  if (open.length === 0) return done;
  const pods = ports.pods();
  const attempted = async (work: Promise<unknown>): Promise<void> =>
    void (await work.catch((error: unknown) => done.failures.push({ error })));
  const podOf = (run: OpenHookRun): CurrentPod | undefined => podOfRun(run, pods);
  const going = open.filter(({ leftMs }) => leftMs > 0);
  for (const run of open) if (!going.includes(run)) await attempted(giveUp(run, podOf(run), ports));
  const waiting = going.filter((run) => !run.seen && podOf(run) === undefined);
  if (waiting.length > 0) await attempted(start(waiting, ports));
  if (going.length > 0) done.againAfterMs = pauseFor(going, waiting.length > 0);
  return done;
}

function pauseFor(going: readonly OpenHookRun[], again: boolean): number {
  const first = Math.max(0, Math.min(...going.map(({ leftMs }) => leftMs)));
  return again ? Math.min(first, AGAIN_MS) : first;
}

/** Deletes the Pod first: if the operator dies after that, the next call finds the run again. */
async function giveUp(run: OpenHookRun, pod: CurrentPod | undefined, ports: Ports): Promise<void> {
  const { cluster, notifications } = ports;
  if (pod !== undefined && !pod.deleting) await cluster.deletePod(pod.namespace, pod.name, pod.uid, 0);
  const why = `${GIVEN_UP[run.work]} ${state(run, pod)}`;
  await closeRun(run.run, ports, why.trimEnd());
  notifications.notify({ topic: 'schedule', pipeline: run.pipelineId });
  notifications.notify({ topic: 'status', pipeline: run.pipelineId });
}

const GIVEN_UP: Record<OpenHookRun['work'], string> = {
  hooks: `The hooks had not ended after ${MAX_HOOK_WAIT_SECONDS} s, and builds start without them.`,
  notifications: 'The Pod that sends the notification did not end in time.',
};

function state({ seen, work, refused = '' }: OpenHookRun, pod: PodFacts | undefined): string {
  if (seen) return '';
  return pod === undefined ? refused : explainCheckFailure(pod, work);
}

/** All Pods that exist, or may, count against the limits. */
async function start(waiting: OpenHookRun[], ports: Ports): Promise<void> {
  const waits = new Set(waiting.map(({ run }) => run));
  const open = (await ports.checks.openRuns()).filter(({ run }) => !waits.has(run));
  const running = openChecks(open, ({ run }) => String(run), ports);
  const own = waiting.map((run) => ({ ...run, scope: run.run, group: `hooks ${run.run}` }));
  const { groups, held } = pickChecks(own, running, checkLimits(running, ports));
  for (const run of groups.flat()) await startOne(run, ports);
  for (const { run } of held)
    await ports.checks.explainHooks(run, 'TeamLimit: As many checks run as may at a time.');
}

async function startOne({ run, pipelineId }: OpenHookRun, ports: Ports): Promise<void> {
  const { checks, notifications } = ports;
  const facts = await checks.runFacts(run);
  if (facts === undefined) return;
  const pod = await requestCheckPod(facts, ports);
  if (pod.answer !== 'refused') return;
  if (isTransient(pod)) {
    await checks.explainHooks(run, `${pod.reason}: ${pod.message}`);
    return;
  }
  await closeRun(run, ports, `No Pod could be made: ${pod.message}`);
  notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  notifications.notify({ topic: 'status', pipeline: pipelineId });
}
