import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { BuildOutcome, OutcomeReason, StepEnded } from '#domain/build/events.ts';
import { expandValues } from '#domain/build/expand-references.ts';
import { DEFAULT_LOG_BYTES } from '#domain/build/log-limit.ts';
import { createMasker, type Masker } from '#domain/build/mask.ts';
import { parsePushOutput } from '#domain/build/parse-check-output.ts';
import { exportVersion, parseOutput } from '#domain/build/step-output.ts';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { Tail } from './capture.ts';
import type { Outbox } from './outbox.ts';
import { pauseFor } from './retry.ts';
import { runCommand, signalName, whyFailed, type CommandEnd } from './run-command.ts';
import { LogBudget, StepLog } from './step-log.ts';
import type { Stop, StopReason } from './stop.ts';
import type { StepEnd } from './termination.ts';

const PUSH_TAIL_BYTES = 64 * 1024;
/** The kubelet signals the containers of a Pod in parallel. On a busy node this takes seconds. */
const TERMINATION_SIGNAL_MS = 10_000;
const MAX_MESSAGE_CHARACTERS = 1000;

export interface BuildWork {
  plan: Plan;
  shims: Map<string, ShimConnection>;
  outbox: Outbox;
  stop: Stop;
  /** Called after each step that ended, except skipped ones. Its event is in the outbox by then. */
  ended: (end: StepEnd) => void;
}

export interface BuildConclusion {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  /** False: the agent does not know why it had to stop, so the operator decides by the Pod. */
  known: boolean;
}

type Cause = BuildConclusion;

interface StepResult {
  ended: Omit<StepEnded, 'type' | 'step'>;
  exports?: Record<string, string>;
  /** Why the build ends here. */
  cause?: Cause;
}

/** Runs the steps of the plan in order. The outbox gets every event except the end of the build. */
export async function runBuild(build: BuildWork): Promise<BuildConclusion> {
  const run = new BuildRun(build);
  const clock = setTimeout(() => build.stop.request('timeout'), build.plan.timeoutSeconds * 1000);
  try {
    for (const step of build.plan.steps) await run.step(step);
  } finally {
    clearTimeout(clock);
  }
  return run.conclusion();
}

class BuildRun {
  readonly #build: BuildWork;
  readonly #masker: Masker;
  readonly #budget: LogBudget;
  #exports: Record<string, string> = {};
  #cause: Cause | undefined;
  #notice: string | undefined;

  constructor(build: BuildWork) {
    this.#build = build;
    this.#masker = createMasker(build.plan.secrets);
    this.#notice = build.plan.notice;
    this.#budget = new LogBudget(build.plan.logLimitBytes ?? DEFAULT_LOG_BYTES);
  }

  async step(step: PlanStep): Promise<void> {
    const { outbox, stop } = this.#build;
    if (stop.reason !== undefined) this.#cause ??= this.#causeOfStop(stop.reason);
    if (this.#cause) {
      outbox.add({ type: 'step-ended', step: step.id, status: 'skipped' });
      return;
    }
    const started = outbox.add({ type: 'step-started', step: step.id }, step.kind === 'put');
    const log = new StepLog(this.#masker, this.#budget, (text) => {
      outbox.add({ type: 'log', step: step.id, text });
    });
    if (this.#notice !== undefined) log.note(`[${this.#notice}]`);
    this.#notice = undefined;
    const { ended, exports, cause } = await this.#result(step, started, log);
    if (ended.message !== undefined) log.note(`[${ended.message}]`);
    log.end();
    this.#exports = { ...this.#exports, ...exports };
    this.#cause = cause;
    const sequence = outbox.add({ type: 'step-ended', step: step.id, ...ended });
    const { exitCode = null, status, version } = ended;
    this.#build.ended({ step: step.id, sequence, exitCode, status, ...defined({ version }) });
  }

  async #result(step: PlanStep, started: number, log: StepLog): Promise<StepResult> {
    if (step.kind === 'put' && !(await this.#recorded(started))) {
      const reason = this.#build.stop.reason ?? 'session-over';
      const message = 'ended before the put began';
      return { ended: { status: 'cancelled', message }, cause: this.#causeOfStop(reason) };
    }
    if (!step.command) return this.#nothingToRun(step, log);
    const tail = new Tail(step.kind === 'put' ? PUSH_TAIL_BYTES : 0);
    const end = await runCommand({
      shims: this.#build.shims,
      command: step.command,
      env: this.#environment(step),
      cwd: this.#build.plan.workdir,
      wantsOutput: step.kind === 'task',
      stop: this.#build.stop.signal,
      onOutput: (stream, bytes) => {
        log.write(stream, bytes);
        if (stream === 'stdout' && step.kind === 'put') tail.write(bytes);
      },
    });
    const result = await this.#judge(step, end);
    if (result.cause || 'lost' in end) return result;
    return this.#succeed(step, end.output, tail.text());
  }

  /**
   * Exports of earlier steps, then the step's own variables. The params of a put may refer to all of them.
   */
  #environment(step: PlanStep): Record<string, string> {
    const known = { ...this.#exports, ...step.env };
    if (step.kind !== 'put') return known;
    const put = Object.entries(step.env).filter(([name]) => name.startsWith('put_'));
    return { ...known, ...expandValues(Object.fromEntries(put), known) };
  }

  /** A put has effects outside, so it only starts once its start is recorded. */
  async #recorded(sequence: number): Promise<boolean> {
    const { outbox, stop } = this.#build;
    const stopped = new Promise<false>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    const acknowledged = outbox.whenAcknowledged(sequence).then(
      () => true,
      () => false,
    );
    return (await Promise.race([acknowledged, stopped])) && stop.reason === undefined;
  }

  #nothingToRun(step: PlanStep, log: StepLog): StepResult {
    for (const [key, value] of Object.entries(step.version ?? {})) {
      log.note(this.#masker.mask(`${key}: ${value}`));
    }
    return this.#succeed(step, '', '');
  }

  async #judge(step: PlanStep, end: CommandEnd): Promise<StepResult> {
    if ('lost' in end) {
      const message = this.#masked(end.lost);
      return { ended: { status: 'failed', message }, cause: this.#failure(step, 'AgentFault', message) };
    }
    // The container was asked to end. If the whole Pod was, the signal reaches this agent soon.
    if (end.terminated) await pauseFor(TERMINATION_SIGNAL_MS, this.#build.stop.signal);
    const facts =
      end.end.kind === 'signal' ? { signal: signalName(end.end.signal) } : { exitCode: end.end.code };
    const stopped = this.#build.stop.reason;
    if (stopped !== undefined) {
      const status = stopped === 'timeout' ? 'failed' : 'cancelled';
      return { ended: { ...facts, status, message: STOPPED[stopped] }, cause: this.#causeOfStop(stopped) };
    }
    const failure = whyFailed(end);
    if (failure === undefined) return { ended: { ...facts, status: 'succeeded' } };
    const message = this.#masked(failure);
    const reason = end.outOfMemory ? 'OutOfMemory' : 'StepFailed';
    return { ended: { ...facts, status: 'failed', message }, cause: this.#failure(step, reason, message) };
  }

  #masked(message: string): string {
    return this.#masker.mask(message).slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
  }

  #succeed(step: PlanStep, output: string, pushed: string): StepResult {
    const ended = { status: 'succeeded', exitCode: 0 } as const;
    switch (step.kind) {
      case 'get':
        return { ended, exports: exportVersion(step.exports ?? '', step.version ?? {}) };
      case 'task':
        return { ended, exports: parseOutput(step.exports ?? '', output) };
      case 'put': {
        const known = { ...this.#exports, ...step.env };
        const version = Object.entries(parsePushOutput(pushed) ?? expandValues(step.params ?? {}, known));
        const shown = version.map(
          ([key, value]) => [this.#masker.mask(key), this.#masker.mask(value)] as const,
        );
        return { ended: { ...ended, version: Object.fromEntries(shown) } };
      }
      default:
        throw new Error(`a step of unknown kind ${String(step.kind)}`);
    }
  }

  #failure(step: PlanStep, reason: OutcomeReason, why: string): Cause {
    const message = `Step ${this.#masked(step.name)}: ${why}.`;
    return { outcome: 'failed', reason, message, known: reason !== 'AgentFault' };
  }

  #causeOfStop(reason: StopReason): Cause {
    switch (reason) {
      case 'cancelled':
        return {
          outcome: 'cancelled',
          reason: 'Cancelled',
          message: 'The build was cancelled.',
          known: true,
        };
      case 'timeout': {
        const message = `The job ran longer than its ${this.#build.plan.timeoutSeconds} s.`;
        return { outcome: 'failed', reason: 'JobTimeout', message, known: true };
      }
      case 'terminated': {
        const message = 'The Pod was asked to end before the build was done.';
        return { outcome: 'failed', reason: 'PodLost', message, known: false };
      }
      case 'refused': {
        const message = 'The gateway cannot make sense of what this agent tells it.';
        return { outcome: 'failed', reason: 'AgentFault', message, known: false };
      }
      case 'session-over': {
        const message = 'The gateway ended this session: another attempt took its place.';
        return { outcome: 'failed', reason: 'AgentAuthentication', message, known: false };
      }
      default:
        throw new Error(`an unknown reason to stop: ${String(reason)}`);
    }
  }

  conclusion(): BuildConclusion {
    const success: Cause = {
      outcome: 'succeeded',
      reason: 'AllStepsSucceeded',
      message: 'All steps succeeded.',
      known: true,
    };
    return this.#cause ?? success;
  }
}

const STOPPED = {
  cancelled: 'cancelled',
  timeout: 'the job ran out of time',
  terminated: 'the Pod was asked to end',
  refused: 'the gateway did not understand this agent',
  'session-over': 'another attempt took the place of this one',
} as const;
