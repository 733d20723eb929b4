import { defined } from '#defined';
import type { PlanService, ServiceCommand } from '#domain/planning/plan.ts';
import {
  causeOfStop,
  isTimeout,
  maskMessage,
  STOPPED,
  type BuildContext,
  type Cause,
} from './build-context.ts';
import { formatSeconds } from './format-seconds.ts';
import { pauseFor } from './retry.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import type { RunningService } from './running-service.ts';
import { StepLog } from './step-log.ts';
import type { Stop } from './stop.ts';

/** For the start of a service without a timeout. */
const START_SECONDS = 10 * 60;
const STOP_SECONDS = 60;

/** Starts services one after another, then waits until all are ready. Returns why one of them is not. */
export async function startServices(
  services: readonly PlanService[],
  stop: Stop,
  context: BuildContext,
): Promise<Cause | undefined> {
  const limits: ReturnType<Stop['limited']>[] = [];
  try {
    const waits: (() => Promise<Cause | undefined>)[] = [];
    for (const planned of services) {
      const limit = stop.limited(planned.timeoutSeconds, 'step-timeout');
      limits.push(limit);
      const service = await context.secrets.of(planned, { stop: limit.stop.signal });
      if (service === undefined) return endBeforeStart(planned, limit.stop, context);
      const cause = await startService(service, limit.stop, context);
      if (cause !== undefined) return cause;
      waits.push(async () => await waitUntilReady(service, limit.stop, context));
    }
    const causes = await Promise.all(waits.map((wait) => wait()));
    return causes.find((cause) => cause !== undefined);
  } finally {
    for (const { release } of limits) release();
  }
}

/** A service that was stopped while it waited for its secrets. */
function endBeforeStart(service: PlanService, stop: Stop, context: BuildContext): Cause {
  const phase = new Phase(`${service.id}.start`, service, context);
  const cause = phase.stopped(stop, service.timeoutSeconds ?? START_SECONDS);
  phase.log.end();
  return cause;
}

/** Stops all running services, the last one first. A stop that fails changes nothing. */
export async function stopServices(context: BuildContext): Promise<void> {
  for (const running of context.services.splice(0).toReversed()) await stopService(running, context);
}

async function startService(
  service: PlanService,
  stop: Stop,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { id, start, refusal } = service;
  if (refusal !== undefined) return refuseService(`${id}.start`, service, context);
  if (start === undefined) return undefined;
  const phase = new Phase(`${id}.start`, service, context);
  const running: RunningService = { service, log: phase.log };
  const { timeoutSeconds: seconds = START_SECONDS } = service;
  // A start that failed half-way is stopped too.
  context.services.push(running);
  return start.staysInForeground
    ? await startInForeground(running, { start, phase, stop, seconds }, context)
    : await startToItsEnd({ start, phase, stop, seconds }, context);
}

function refuseService(id: string, service: PlanService, context: BuildContext): Cause {
  const phase = new Phase(id, service, context);
  const cause = phase.fail((service.refusal ?? '').replace(/\.$/, ''));
  phase.log.end();
  return { ...cause, reason: 'SecretMissing' };
}

interface Start {
  start: ServiceCommand;
  phase: Phase;
  stop: Stop;
  seconds: number;
}

/** The command must end with 0. The processes that it started stay. */
async function startToItsEnd(
  { start, phase, stop: outer, seconds }: Start,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { stop, release } = outer.limited(seconds, 'step-timeout');
  const end = await run(start, { stop: stop.signal, leavesProcesses: true, log: phase.log }, context);
  release();
  if (stop.reason !== undefined) return phase.stopped(stop, seconds);
  const why = failureOf(end);
  return why === undefined ? phase.succeed() : phase.fail(why);
}

/** The command is the service: it has started when its process has. */
async function startInForeground(
  running: RunningService,
  { start, phase, stop, seconds }: Start,
  context: BuildContext,
): Promise<Cause | undefined> {
  const ending = new AbortController();
  const started = Promise.withResolvers<void>();
  const signal = AbortSignal.any([ending.signal, context.hooks.signal]);
  const options = { stop: signal, leavesProcesses: true, log: phase.log, onStarted: () => started.resolve() };
  const foreground: NonNullable<RunningService['foreground']> = {
    stop: ending,
    ended: run(start, options, context),
  };
  running.foreground = foreground;
  void watchDeath(running, foreground);
  await Promise.race([started.promise, foreground.ended, aborted(stop.signal)]);
  if (stop.reason !== undefined) return phase.stopped(stop, seconds);
  const why = foreground.end && notStarted(foreground.end);
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

function notStarted(end: CommandEnd): string | undefined {
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
  const phase = new Phase(`${id}.ready`, service, context);
  return await checkUntilReady({ service, ready, phase, stop }, context);
}

interface ReadyCheck {
  service: PlanService;
  ready: NonNullable<PlanService['ready']>;
  phase: Phase;
  stop: Stop;
}

async function checkUntilReady(
  { service, ready, phase, stop: outer }: ReadyCheck,
  context: BuildContext,
): Promise<Cause | undefined> {
  const { stop, release } = outer.limited(ready.timeoutSeconds, 'step-timeout');
  const running = context.services.find((one) => one.service === service);
  try {
    for (;;) {
      const end = await run(ready, { stop: stop.signal, log: undefined }, context);
      const why = failureOf(end);
      if (why === undefined && stop.reason === undefined) return phase.succeed();
      const died = running?.foreground?.end;
      if (died !== undefined)
        return phase.fail(`it ended before it was ready: ${failureOf(died) ?? 'exit code 0'}`);
      if (stop.reason === undefined) await pauseFor(ready.intervalSeconds * 1000, stop.signal);
      if (stop.reason !== undefined) return phase.stopped(stop, readySeconds(outer, { service, ready }));
    }
  } finally {
    release();
  }
}

/** The time limit that was exceeded: that of the service, or that of its readiness check. */
function readySeconds({ reason }: Stop, { service, ready }: Pick<ReadyCheck, 'service' | 'ready'>): number {
  return (reason && service.timeoutSeconds) ?? ready.timeoutSeconds;
}

async function stopService(
  { service, foreground, log }: RunningService,
  context: BuildContext,
): Promise<void> {
  const phase = new Phase(`${service.id}.stop`, service, context);
  const why = service.stop && (await runStop(service.stop, phase, context));
  foreground?.stop.abort();
  await foreground?.ended;
  log.end();
  if (why === undefined) phase.succeed();
  else phase.fail(why);
}

async function runStop(
  command: ServiceCommand,
  phase: Phase,
  context: BuildContext,
): Promise<string | undefined> {
  const { stop, release } = context.hooks.limited(STOP_SECONDS, 'step-timeout');
  const end = await run(command, { stop: stop.signal, log: phase.log }, context);
  release();
  return stop.reason === 'step-timeout' ? `timed out after ${formatSeconds(STOP_SECONDS)}` : failureOf(end);
}

interface ServiceRun {
  stop: AbortSignal;
  /** Processes that it starts go on after its end. */
  leavesProcesses?: boolean;
  /** Absent: its output is dropped. */
  log: StepLog | undefined;
  onStarted?: () => void;
}

async function run(
  { command, env }: ServiceCommand,
  { stop, leavesProcesses, log, onStarted }: ServiceRun,
  { shims, plan }: BuildContext,
): Promise<CommandEnd> {
  return await runCommand({
    shims,
    command,
    env,
    cwd: plan.workdir,
    leftovers: leavesProcesses === true ? 'stay' : 'own',
    stop,
    onOutput: (stream, bytes) => log?.write(stream, bytes),
    ...defined({ onStarted }),
  });
}

function failureOf(end: CommandEnd): string | undefined {
  return 'lost' in end ? end.lost : whyFailed(end);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The start, the wait, or the stop of a service, as a step of the build. */
class Phase {
  readonly log: StepLog;
  readonly #id: string;
  readonly #service: PlanService;
  readonly #context: BuildContext;

  constructor(id: string, service: PlanService, context: BuildContext) {
    this.#id = id;
    this.#service = service;
    this.#context = context;
    const { masker, budget, outbox } = context;
    outbox.add({ type: 'step-started', step: id });
    this.log = new StepLog(
      masker,
      budget,
      (text) => outbox.add({ type: 'log', step: id, text }),
      `[${service.name}] `,
    );
  }

  succeed(): undefined {
    this.#end('succeeded');
    return undefined;
  }

  fail(why: string): Cause {
    const message = maskMessage(this.#context.masker, why);
    this.#end('failed', message);
    const sentence = `The service ${this.#service.name} failed: ${message}.`;
    return { outcome: 'failed', reason: 'ServiceFailed', message: sentence, known: true };
  }

  stopped({ reason = 'session-over' }: Stop, seconds: number): Cause {
    if (reason === 'step-timeout')
      return { ...this.fail(`not ready after ${formatSeconds(seconds)}`), timedOut: true };
    this.#end(isTimeout(reason) ? 'failed' : 'cancelled', STOPPED[reason]);
    return causeOfStop(reason, this.#context.plan.timeoutSeconds);
  }

  #end(status: 'succeeded' | 'failed' | 'cancelled', message?: string): void {
    const { outbox, ended } = this.#context;
    if (message !== undefined) this.log.note(`[${message}]`);
    // The log of the start goes on until the service has stopped.
    if (!this.#id.endsWith('.start')) this.log.end();
    const sequence = outbox.add({ type: 'step-ended', step: this.#id, status, ...defined({ message }) });
    ended({ step: this.#id, sequence, exitCode: status === 'succeeded' ? 0 : null, status });
  }
}
