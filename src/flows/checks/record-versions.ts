import { defined } from '#defined';
import type { CheckResult, CheckResultsRequest, HookResult } from '#domain/build/agent-protocol.ts';
import { explainHookFailures } from '#domain/build/explain-hook-failures.ts';
import { MAX_CHECK_VERSIONS } from '#domain/build/parse-check-output.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { CheckOutcome, CheckStore } from './ports.ts';
import { closeRun, recordCheck } from './record-check.ts';

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'cronNext' | 'runFacts' | 'recordHooks'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/**
 * Records what the agent of a run reports: results of checks, or results of hooks or notifications. `over`:
 * the run was closed before, and nothing was recorded.
 */
export async function recordVersions(
  run: number,
  request: CheckResultsRequest,
  ports: Ports,
): Promise<'recorded' | 'over'> {
  if (request.hooks !== undefined) return await recordHooks(run, request.hooks, ports);
  const pipelines = new Set<number>();
  for (const result of request.results) {
    const { recorded, awaited, pipelineId } = await recordCheck(outcomeOf(run, result), ports);
    if (pipelineId === undefined) continue;
    pipelines.add(pipelineId);
    if (recorded.length > 0 || awaited)
      ports.notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  }
  for (const pipeline of pipelines) ports.notifications.notify({ topic: 'status', pipeline });
  // A run may be closed twice: an agent that did not receive the last answer sends its report again.
  if (request.done) {
    await closeRun(run, ports);
    // A slot is free, so a check that a limit holds can start without waiting for the timer.
    ports.notifications.notify({ topic: 'checks' });
  } else if (pipelines.size === 0 && (await ports.checks.runFacts(run)) === undefined) return 'over';
  return 'recorded';
}

/** Records the results of hooks or notifications. After hooks, automatic builds can take the versions. */
async function recordHooks(
  run: number,
  results: HookResult[],
  { checks, notifications, now }: Ports,
): Promise<'recorded' | 'over'> {
  const error = explainHookFailures(results);
  const answer = await checks.recordHooks(run, { results, ...defined({ error }) }, now());
  if (answer === 'over') return answer;
  notifications.notify({ topic: 'schedule', pipeline: answer.pipelineId });
  notifications.notify({ topic: 'status', pipeline: answer.pipelineId });
  notifications.notify({ topic: 'checks' });
  return 'recorded';
}

function outcomeOf(run: number, { scope, versions, cut = 0, error, log }: CheckResult): CheckOutcome {
  if (versions === undefined) return { run, scope: Number(scope), error: error ?? 'The check failed.', log };
  const excess = Math.max(0, versions.length - MAX_CHECK_VERSIONS);
  return { run, scope: Number(scope), versions: versions.slice(excess), omitted: cut + excess, log };
}
