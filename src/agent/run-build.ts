import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { CLEANUP_SECONDS } from '#domain/build/cancel-grace.ts';
import { DEFAULT_LOG_BYTES } from '#domain/build/log-limit.ts';
import type { Plan } from '#domain/planning/plan.ts';
import type { BuildContext, Cause, NodeEnd } from './build-context.ts';
import type { FetchIdentity } from './identity-tokens.ts';
import { Lanes } from './lanes.ts';
import { LogDigest } from './log-digest.ts';
import type { Outbox } from './outbox.ts';
import { runOutcomeHooks } from './run-build-hooks.ts';
import { runNodes, skipNodes } from './run-nodes.ts';
import { sendNotifications } from './run-notifications.ts';
import { startServices } from './run-services.ts';
import { RunningCommands } from './running-commands.ts';
import { Secrets, type SecretLinks } from './secrets.ts';
import { LogBudget } from './step-log.ts';
import { stopServices } from './stop-services.ts';
import type { Stop } from './stop.ts';
import type { StepEnd } from './termination.ts';

export interface BuildWork {
  plan: Plan;
  shims: Map<string, ShimConnection>;
  outbox: Outbox;
  requestSecrets: SecretLinks['request'];
  /** Stops the plan. Hooks still run, unless the reason is final. */
  stop: Stop;
  /** Stops everything in the Pod. */
  root: Stop;
  fetchIdentity: FetchIdentity;
  /** Where the build lists the commands that run, for shells. Absent: nobody can open shells. */
  commands?: RunningCommands;
  /**
   * Called for each end of a step, group, branch or service command, after its `step-ended` event is in the
   * outbox. Not called for steps and groups that are skipped, but called for each branch that the build
   * reaches and does not take.
   */
  onStepEnded: (end: StepEnd) => void;
}

export interface BuildConclusion extends Cause {
  /**
   * False: the agent was stopped, or the time after a cancel was over, before all notifications were sent.
   */
  notified: boolean;
}

/**
 * Runs services, steps, the job's hooks, and notifications, in this order. Services stop after the hooks. The
 * outbox gets every event except the end of the build.
 */
export async function runBuild(work: BuildWork): Promise<BuildConclusion> {
  const { plan, stop, root } = work;
  const hooksStop = root.child();
  const context = contextOf(work, hooksStop);
  const endCleanupLimit = limitCleanup(stop, hooksStop);
  const end = await runPlan(work, context);
  // A cancel that comes after the end of the plan, or too late to change it, changes nothing.
  if (end.status !== 'cancelled') endCleanupLimit();
  const variables = { BUILD_STATUS: end.status, BUILD_REASON: end.cause?.reason ?? 'AllStepsSucceeded' };
  await runOutcomeHooks(plan.hooks, { end, exports: end.exports, variables, stop: hooksStop }, context);
  await stopServices(context);
  const notified = await sendNotifications(end, variables, context);
  endCleanupLimit();
  return { ...(end.cause ?? SUCCESS), notified };
}

const SUCCESS: Cause = {
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
  known: true,
};

function contextOf(
  { plan, shims, outbox, requestSecrets, root, onStepEnded, fetchIdentity, commands }: BuildWork,
  hooksStop: Stop,
): BuildContext {
  const running = commands ?? new RunningCommands();
  const { masker } = running;
  const onOver = (): void => root.request('session-over');
  return {
    plan,
    shims,
    lanes: new Lanes(plan.containers),
    commands: running,
    outbox,
    masker,
    secrets: new Secrets({ request: requestSecrets, masker, shims, onOver }),
    budget: new LogBudget(plan.logLimitBytes ?? DEFAULT_LOG_BYTES),
    digest: new LogDigest(plan.workdir),
    hooksStop,
    services: [],
    onStepEnded,
    fetchIdentity,
    notice: plan.notice,
    hookExports: {},
  };
}

/** Starts the services and runs the steps, within the time limit of the job. */
async function runPlan({ plan, stop }: BuildWork, context: BuildContext): Promise<NodeEnd> {
  const timer = setTimeout(() => stop.request('job-timeout'), plan.timeoutSeconds * 1000);
  try {
    const failedStart =
      stop.reason === undefined ? await startServices(plan.services, stop, context) : undefined;
    if (failedStart !== undefined) {
      skipNodes(plan.steps, context);
      return { status: failedStart.outcome, exports: {}, cause: failedStart };
    }
    return await runNodes(plan.steps, { exports: {}, stop }, context);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * After a cancel, limits the time of hooks, notifications and the stop of services, because the operator
 * deletes the Pod some time after a cancel. Returns a function that ends the limit.
 */
function limitCleanup(stop: Stop, hooksStop: Stop): () => void {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (stop.reason === 'cancelled')
      timer = setTimeout(() => hooksStop.request('cleanup-timeout'), CLEANUP_SECONDS * 1000);
  };
  if (stop.signal.aborted) begin();
  else stop.signal.addEventListener('abort', begin, { once: true });
  return () => {
    clearTimeout(timer);
    stop.signal.removeEventListener('abort', begin);
  };
}
