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
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import { StepLog } from './step-log.ts';
import type { Stop } from './stop.ts';

interface ServiceRun {
  stop: AbortSignal;
  /** True: the processes that the command starts continue after it has ended. */
  leavesProcesses?: boolean;
  /** Undefined: the output of the command is dropped. */
  log: StepLog | undefined;
  onStarted?: () => void;
}

export async function runServiceCommand(
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

export function failureOf(end: CommandEnd): string | undefined {
  return 'lost' in end ? end.lost : whyFailed(end);
}

/** The start, the readiness check, or the stop of a service. Reports it as a step of the build. */
export class ServicePhase {
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

  /** Ends the phase. Returns no cause, because the build goes on. */
  succeed(): undefined {
    this.#end('succeeded');
    return undefined;
  }

  /** Ends the phase. Returns why the build ends. */
  fail(why: string): Cause {
    const message = maskMessage(this.#context.masker, why);
    this.#end('failed', message);
    const sentence = `The service ${this.#service.name} failed: ${message}.`;
    return { outcome: 'failed', reason: 'ServiceFailed', message: sentence, known: true };
  }

  /** Ends the phase because of a stop. `seconds` is the time limit, for the message. */
  stopped({ reason = 'session-over' }: Stop, seconds: number): Cause {
    if (reason === 'step-timeout')
      return { ...this.fail(`not ready after ${formatSeconds(seconds)}`), timedOut: true };
    this.#end(isTimeout(reason) ? 'failed' : 'cancelled', STOPPED[reason]);
    return causeOfStop(reason, this.#context.plan.timeoutSeconds);
  }

  #end(status: 'succeeded' | 'failed' | 'cancelled', message?: string): void {
    const { outbox, onStepEnded } = this.#context;
    if (message !== undefined) this.log.note(`[${message}]`);
    // The log of the start goes on until the service has stopped.
    if (!this.#id.endsWith('.start')) this.log.end();
    const sequence = outbox.add({ type: 'step-ended', step: this.#id, status, ...defined({ message }) });
    onStepEnded({ step: this.#id, sequence, exitCode: status === 'succeeded' ? 0 : null, status });
  }
}
