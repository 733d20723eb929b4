import { SERVICE_STOP_SECONDS, SERVICE_SWEEP_SECONDS } from '#domain/build/cancel-grace.ts';
import type { PlanService, ServiceCommand } from '#domain/planning/plan.ts';
import type { BuildContext } from './build-context.ts';
import { formatSeconds } from './format-seconds.ts';
import { pauseFor } from './retry.ts';
import type { RunningService } from './running-service.ts';
import { failureOf, runServiceCommand, ServicePhase } from './service-phase.ts';

/**
 * Stops all running services, the last one first. A stop that fails does not change the outcome of the build.
 */
export async function stopServices(context: BuildContext): Promise<void> {
  for (const running of context.services.splice(0).toReversed()) await stopService(running, context);
}

async function stopService(
  { service, foreground, log }: RunningService,
  context: BuildContext,
): Promise<void> {
  const phase = new ServicePhase(`${service.id}.stop`, service, context);
  const stopProblem = service.stop && (await runStop(service.stop, phase, context));
  foreground?.stop.abort();
  await foreground?.ended;
  const containerProblem = await endContainers(service, context);
  log.end();
  const problem = stopProblem ?? containerProblem;
  if (problem === undefined) phase.succeed();
  else phase.fail(problem);
}

/**
 * Ends the containers of a service, so that the processes left in them end too. No step uses these
 * containers.
 */
async function endContainers(
  { start, ready, stop }: PlanService,
  { shims }: BuildContext,
): Promise<string | undefined> {
  const commands = [start, ready, stop].filter((command) => command !== undefined);
  const names = new Set(commands.map(({ command }) => command.container));
  const limit = new AbortController();
  const ended = Promise.all([...names].flatMap((name) => shims.get(name)?.askToEnd() ?? []));
  const inTime = await Promise.race([
    ended.then(() => true),
    pauseFor(SERVICE_SWEEP_SECONDS * 1000, limit.signal).then(() => false),
  ]);
  limit.abort();
  return inTime ? undefined : 'processes that it started could not be killed';
}

async function runStop(
  command: ServiceCommand,
  phase: ServicePhase,
  context: BuildContext,
): Promise<string | undefined> {
  const { stop, release } = context.hooksStop.limited(SERVICE_STOP_SECONDS, 'step-timeout');
  const end = await runServiceCommand(command, { stop: stop.signal, log: phase.log }, context);
  release();
  return stop.reason === 'step-timeout'
    ? `timed out after ${formatSeconds(SERVICE_STOP_SECONDS)}`
    : failureOf(end);
}
