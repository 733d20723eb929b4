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
  /** Gets the commands of steps while they run. Absent: nobody opens shells beside them. */
  commands?: RunningCommands;
  /** Called after each step that ended, except skipped ones. Its event is in the outbox by then. */
  ended: (end: StepEnd) => void;
}

export type BuildConclusion = Cause;

/**
 * Runs services, steps, the job's hooks, and notifications, in this order. Services stop after the hooks. The
 * outbox gets every event except the end of the build.
 */
export async function runBuild(work: BuildWork): Promise<BuildConclusion> {
  const { plan, stop, root } = work;
  const hooks = root.child();
  const context = contextOf(work, hooks);
  const clean = limitCleanup(stop, hooks);
  const end = await runPlan(work, context);
  const variables = { BUILD_STATUS: end.status, BUILD_REASON: end.cause?.reason ?? 'AllStepsSucceeded' };
  await runOutcomeHooks(plan.hooks, { end, exports: end.exports, variables, stop: hooks }, context);
  await stopServices(context);
  await sendNotifications(end, variables, context);
  clean();
  return end.cause ?? SUCCESS;
}

const SUCCESS: Cause = {
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
  known: true,
};

function contextOf(
  { plan, shims, outbox, requestSecrets, root, ended, fetchIdentity, commands }: BuildWork,
  hooks: Stop,
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
    hooks,
    services: [],
    ended,
    fetchIdentity,
    notice: plan.notice,
    hookExports: {},
  };
}

/** The steps and their services, within the time of the job. */
async function runPlan({ plan, stop }: BuildWork, context: BuildContext): Promise<NodeEnd> {
  const clock = setTimeout(() => stop.request('job-timeout'), plan.timeoutSeconds * 1000);
  try {
    const cause = stop.reason === undefined && (await startServices(plan.services, stop, context));
    if (cause) {
      skipNodes(plan.steps, context);
      return { status: cause.outcome, exports: {}, cause };
    }
    return await runNodes(plan.steps, { exports: {}, stop }, context);
  } finally {
    clearTimeout(clock);
  }
}

/** After a cancel all that follows has a limit: then the operator deletes the Pod. */
function limitCleanup(stop: Stop, hooks: Stop): () => void {
  let clock: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (stop.reason === 'cancelled')
      clock = setTimeout(() => hooks.request('cleanup-timeout'), CLEANUP_SECONDS * 1000);
  };
  if (stop.signal.aborted) begin();
  else stop.signal.addEventListener('abort', begin, { once: true });
  return () => {
    clearTimeout(clock);
    stop.signal.removeEventListener('abort', begin);
  };
}
