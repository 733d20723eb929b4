import type { PlanService, ServiceCommand } from '#domain/planning/plan.ts';
import type { BuildContext, Cause } from './build-context.ts';
import { pauseFor } from './retry.ts';
import { whyFailed, type CommandEnd } from './run-command.ts';
import type { RunningService } from './running-service.ts';
import { failureOf, runServiceCommand, ServicePhase } from './service-phase.ts';
import type { Stop } from './stop.ts';

/** Time limit of a start command that does not stay in the foreground, if the service has no timeout. */
const START_SECONDS = 10 * 60;

/**
 * Starts services one after another, then waits until all are ready. If one fails or is stopped, returns why
 * the build ends.
 */
export async function startServices(
  services: readonly PlanService[],
  stop: Stop,
  context: BuildContext,
): Promise<Cause | undefined> {
  const limits: ReturnType<Stop['limited']>[] = [];
  try {
    const waits: (() => Promise<Cause | undefined>)[] = [];
    for (const plannedService of services) {
      const limit = stop.limited(plannedService.timeoutSeconds, 'step-timeout');
      limits.push(limit);
      const service = await context.secrets.fillIn(plannedService, { stop: limit.stop.signal });
      if (service === undefined) return endBeforeStart(plannedService, limit.stop, context);
      const cause = await startService(service, limit.stop, context);
      if (cause !== undefined) return cause;
      waits.push(async () => await waitUntilReady(service, limit.stop, context));
    }
    const causes = await Promise.all(waits.map((wait) => wait()));
    // A failed service explains more than services that were cancelled after the failure.
    return causes.find((cause) => cause?.outcome === 'failed') ?? causes.find((cause) => cause !== undefined);
  } finally {
    for (const { release } of limits) release();
  }
}

/** Reports a service that was stopped while it waited for its secrets. */
function endBeforeStart(service: PlanService, stop: Stop, context: BuildContext): Cause {
  const phase = new ServicePhase(`${service.id}.start`, service, context);
  const cause = phase.stopped(stop, service.timeoutSeconds ?? START_SECONDS);
  phase.log.end();
  return cause;
}

async function startService(
  service: PlanService,
  stop: Stop,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { id, start, refusal } = service;
  if (refusal !== undefined) return refuseService(`${id}.start`, service, context);
  if (start === undefined) return undefined;
  const phase = new ServicePhase(`${id}.start`, service, context);
  const running: RunningService = { service, log: phase.log };
  const { timeoutSeconds: seconds = START_SECONDS } = service;
  // Services in this list are stopped later, even if their start failed half-way.
  context.services.push(running);
  return start.staysInForeground
    ? await startInForeground(running, { start, phase, stop, seconds }, context)
    : await runStartCommand({ start, phase, stop, seconds }, context);
}

function refuseService(id: string, service: PlanService, context: BuildContext): Cause {
  const phase = new ServicePhase(id, service, context);
  const cause = phase.fail((service.refusal ?? '').replace(/\.$/, ''));
  phase.log.end();
  return { ...cause, reason: 'SecretMissing' };
}

interface Start {
  start: ServiceCommand;
  phase: ServicePhase;
  stop: Stop;
  seconds: number;
}

/** The start command must end with 0. The processes that it started stay. */
async function runStartCommand(
  { start, phase, stop: outer, seconds }: Start,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { stop, release } = outer.limited(seconds, 'step-timeout');
  const end = await runServiceCommand(
    start,
    { stop: stop.signal, leavesProcesses: true, log: phase.log },
    context,
  );
  release();
  if (stop.reason !== undefined) return phase.stopped(stop, seconds);
  const why = failureOf(end);
  return why === undefined ? phase.succeed() : phase.fail(why);
}

/** The start command is the service itself, so the service has started when this command has started. */
async function startInForeground(
  running: RunningService,
  { start, phase, stop, seconds }: Start,
  context: BuildContext,
): Promise<Cause | undefined> {
  const ending = new AbortController();
  const started = Promise.withResolvers<void>();
  const signal = AbortSignal.any([ending.signal, context.hooksStop.signal]);
  const options = { stop: signal, leavesProcesses: true, log: phase.log, onStarted: () => started.resolve() };
  const foreground: NonNullable<RunningService['foreground']> = {
    stop: ending,
    ended: runServiceCommand(start, options, context),
  };
  running.foreground = foreground;
  void watchDeath(running, foreground);
  await Promise.race([started.promise, foreground.ended, whenAborted(stop.signal)]);
  if (stop.reason !== undefined) return phase.stopped(stop, seconds);
  const why = foreground.end && whyNotStarted(foreground.end);
  return why === undefined ? phase.succeed() : phase.fail(why);
}

/** Notes in the log when a service ends by itself. */
async function watchDeath(
  { service, log }: RunningService,
  foreground: NonNullable<RunningService['foreground']>,
): Promise<void> {
  const end = await foreground.ended;
  foreground.end = end;
  if (!foreground.stop.signal.aborted)
    log.note(`[${service.name} ended by itself: ${failureOf(end) ?? 'exit code 0'}]`);
}

function whyNotStarted(end: CommandEnd): string | undefined {
  if ('lost' in end) return end.lost;
  return end.end.kind === 'not-started' ? whyFailed(end) : undefined;
}

async function waitUntilReady(
  service: PlanService,
  stop: Stop,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { id, ready } = service;
  if (ready === undefined) return undefined;
  const phase = new ServicePhase(`${id}.ready`, service, context);
  return await checkUntilReady({ service, ready, phase, stop }, context);
}

interface ReadyCheck {
  service: PlanService;
  ready: NonNullable<PlanService['ready']>;
  phase: ServicePhase;
  stop: Stop;
}

async function checkUntilReady(
  { service, ready, phase, stop: outer }: ReadyCheck,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { stop, release } = outer.limited(ready.timeoutSeconds, 'step-timeout');
  const runningService = context.services.find((candidate) => candidate.service === service);
  try {
    for (;;) {
      const end = await runServiceCommand(ready, { stop: stop.signal, log: undefined }, context);
      const why = failureOf(end);
      if (why === undefined && stop.reason === undefined) return phase.succeed();
      const foregroundEnd = runningService?.foreground?.end;
      if (foregroundEnd !== undefined)
        return phase.fail(`it ended before it was ready: ${failureOf(foregroundEnd) ?? 'exit code 0'}`);
      if (stop.reason === undefined) await pauseFor(ready.intervalSeconds * 1000, stop.signal);
      if (stop.reason !== undefined) return phase.stopped(stop, exceededSeconds(outer, { service, ready }));
    }
  } finally {
    release();
  }
}

/**
 * The time limit for the message, in seconds: that of the service if the whole service was stopped, otherwise
 * that of its readiness check.
 */
function exceededSeconds(
  serviceStop: Stop,
  { service, ready }: Pick<ReadyCheck, 'service' | 'ready'>,
): number {
  if (serviceStop.reason === undefined) return ready.timeoutSeconds;
  return service.timeoutSeconds ?? ready.timeoutSeconds;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
