import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { BuildOutcome, OutcomeReason, StepEnded } from '#domain/build/events.ts';
import { expandValues } from '#domain/build/expand-references.ts';
import { LOG_LIMIT } from '#domain/build/log-limit.ts';
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

const PUSH_TAIL = 64 * 1024;
/**
 * The kubelet tells the containers of a Pod side by side; on a busy node one may hear it seconds after
 * another.
 */
const TERMINATION_NEWS_MS = 10_000;
const LONGEST_MESSAGE = 1000;

export interface Build {
  plan: Plan;
  shims: Map<string, ShimConnection>;
  outbox: Outbox;
  stop: Stop;
  /** Told of every step that ended, after the gateway was; of the skipped ones nothing. */
  ended: (end: StepEnd) => void;
}

export interface Verdict {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  /** False: the agent does not know why it had to stop; whoever sees the Pod decides. */
  known: boolean;
}

type Cause = Verdict;

interface StepResult {
  ended: Omit<StepEnded, 'type' | 'step'>;
  exports?: Record<string, string>;
  /** Why the build ends here. */
  cause?: Cause;
}

/**
 * Runs the plan's steps in order and says what became of it; the outbox has everything but the build's end.
 */
export async function runBuild(build: Build): Promise<Verdict> {
  const run = new BuildRun(build);
  const clock = setTimeout(() => build.stop.ask('timeout'), build.plan.timeoutSeconds * 1000);
  try {
    for (const step of build.plan.steps) await run.step(step);
  } finally {
    clearTimeout(clock);
  }
  return run.verdict();
}

class BuildRun {
  readonly #build: Build;
  readonly #masker: Masker;
  readonly #budget: LogBudget;
  #exports: Record<string, string> = {};
  #cause: Cause | undefined;
  #notice: string | undefined;

  constructor(build: Build) {
    this.#build = build;
    this.#masker = createMasker(build.plan.secrets);
    this.#notice = build.plan.notice;
    this.#budget = new LogBudget(build.plan.logLimitBytes ?? LOG_LIMIT);
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
    if (this.#notice !== undefined) log.say(`[${this.#notice}]`);
    this.#notice = undefined;
    const { ended, exports, cause } = await this.#result(step, started, log);
    if (ended.message !== undefined) log.say(`[${ended.message}]`);
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
    const tail = new Tail(step.kind === 'put' ? PUSH_TAIL : 0);
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
   * Earlier exports, then the step's own; a put's parameters may refer to the build, its gets and its tasks.
   */
  #environment(step: PlanStep): Record<string, string> {
    const known = { ...this.#exports, ...step.env };
    if (step.kind !== 'put') return known;
    const put = Object.entries(step.env).filter(([name]) => name.startsWith('put_'));
    return { ...known, ...expandValues(Object.fromEntries(put), known) };
  }

  /** A put may change the world: nobody may forget that it began, so its beginning is on record first. */
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
      log.say(this.#masker.mask(`${key}: ${value}`));
    }
    return this.#succeed(step, '', '');
  }

  async #judge(step: PlanStep, end: CommandEnd): Promise<StepResult> {
    if ('lost' in end) {
      const message = this.#sayable(end.lost);
      return { ended: { status: 'failed', message }, cause: this.#failure(step, 'AgentFault', message) };
    }
    // Someone ended the container: if that is the Pod's end, this agent hears of it too.
    if (end.terminated) await pauseFor(TERMINATION_NEWS_MS, this.#build.stop.signal);
    const facts =
      end.end.kind === 'signal' ? { signal: signalName(end.end.signal) } : { exitCode: end.end.code };
    const stopped = this.#build.stop.reason;
    if (stopped !== undefined) {
      const status = stopped === 'timeout' ? 'failed' : 'cancelled';
      return { ended: { ...facts, status, message: STOPPED[stopped] }, cause: this.#causeOfStop(stopped) };
    }
    const failure = whyFailed(end);
    if (failure === undefined) return { ended: { ...facts, status: 'succeeded' } };
    const message = this.#sayable(failure);
    const reason = end.outOfMemory ? 'OutOfMemory' : 'StepFailed';
    return { ended: { ...facts, status: 'failed', message }, cause: this.#failure(step, reason, message) };
  }

  #sayable(message: string): string {
    return this.#masker.mask(message).slice(0, LONGEST_MESSAGE).toWellFormed();
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
    const message = `Step ${this.#sayable(step.name)}: ${why}.`;
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

  verdict(): Verdict {
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
