import { defined } from '#defined';
import type { OutcomeReason, StepEnded } from '#domain/build/events.ts';
import { exportVersion, parseOutput } from '#domain/build/step-output.ts';
import type { PlanStep } from '#domain/planning/plan.ts';
import {
  causeOfStop,
  isTimeout,
  maskMessage,
  STOPPED,
  type BuildContext,
  type Cause,
  type NodeEnd,
} from './build-context.ts';
import { formatSeconds } from './format-seconds.ts';
import { maskTokens } from './identity-tokens.ts';
import { measureStepCache } from './measure-step-cache.ts';
import { Printed } from './printed.ts';
import { callOf } from './protocol-call.ts';
import { pauseFor } from './retry.ts';
import { runCommand, signalName, whyFailed, type CommandEnd } from './run-command.ts';
import { skipStep } from './skip-step.ts';
import { environmentOf } from './step-environment.ts';
import { StepLog } from './step-log.ts';
import type { Stop } from './stop.ts';

/** How much later than a step container this agent may get SIGTERM, because a busy node signals slowly. */
const TERMINATION_SIGNAL_MS = 10_000;

export interface StepInput {
  /** Variables that earlier steps exported. */
  exports: Record<string, string>;
  /** Variables beyond those of the step, such as `BUILD_STATUS` in hooks. */
  variables?: Record<string, string>;
  /** Stops the step from outside. */
  stop: Stop;
  /** The attempt of the group that contains the step. Absent: the first. */
  attempt?: number;
}

type Ended = Omit<StepEnded, 'type' | 'step'>;

interface Attempt {
  ended: Ended;
  exports?: Record<string, string>;
  cause?: Cause;
}

/**
 * Runs one step, and repeats it after a failure as often as its attempts allow. Does not run its hooks. A
 * step that is stopped while it waits for a container is skipped.
 */
export async function runStep(step: PlanStep, input: StepInput, context: BuildContext): Promise<NodeEnd> {
  const { id, command, refusal } = step;
  if (command === undefined || refusal !== undefined)
    return await new StepRun(step, input, context, '').runAttempts();
  const container = await context.lanes.take(command.container, input.stop.signal);
  if (container === undefined) return skipStep(id, context);
  try {
    return await new StepRun(step, input, context, container).runAttempts();
  } finally {
    context.lanes.give(command.container, container);
  }
}

class StepRun {
  #step: PlanStep;
  readonly #input: StepInput;
  readonly #context: BuildContext;
  readonly #container: string;
  readonly #log: StepLog;

  constructor(step: PlanStep, input: StepInput, context: BuildContext, container: string) {
    this.#step = step;
    this.#input = input;
    this.#context = context;
    this.#container = container;
    this.#log = new StepLog(context.masker, context.budget, (text) => {
      context.outbox.add({ type: 'log', step: step.id, text });
      if (step.kind !== 'notify') context.digest.add(step.id, text);
    });
  }

  async runAttempts(): Promise<NodeEnd> {
    const { attempts = 1 } = this.#step;
    let attempt = await this.#attempt(1);
    for (let number = 2; number <= attempts && this.#mayRepeat(attempt); number += 1) {
      if (attempt.ended.message !== undefined) this.#log.note(`[${attempt.ended.message}]`);
      this.#log.note(`--- attempt ${number}/${attempts} ---`);
      attempt = await this.#attempt(number);
    }
    return this.#report(attempt, await measureStepCache(this.#step));
  }

  #mayRepeat({ ended, cause }: Attempt): boolean {
    const isFailure = ended.status === 'failed' && cause?.known === true && this.#step.refusal === undefined;
    return isFailure && this.#input.stop.reason === undefined;
  }

  #report({ ended, exports = {}, cause }: Attempt, cacheBytes: number | undefined): NodeEnd {
    const { outbox, onStepEnded } = this.#context;
    if (ended.message !== undefined) this.#log.note(`[${ended.message}]`);
    this.#log.end();
    const { id, cache } = this.#step;
    const sequence = outbox.add({
      type: 'step-ended',
      step: id,
      ...ended,
      ...defined({ cacheBytes, cache }),
    });
    const { exitCode = null, status, version } = ended;
    onStepEnded({ step: id, sequence, exitCode, status, ...defined({ version }) });
    return { status, exports, ...defined({ cause }) };
  }

  async #attempt(number: number): Promise<Attempt> {
    const { id, kind, refusal, timeoutSeconds } = this.#step;
    const attempt = number > 1 ? number : this.#input.attempt;
    const startSequence = this.#context.outbox.add(
      { type: 'step-started', step: id, ...defined({ attempt }) },
      kind === 'put',
    );
    this.#noteNoticeOnce();
    if (refusal !== undefined) return this.#refused(refusal);
    const { stop, release } = this.#input.stop.limited(timeoutSeconds, 'step-timeout');
    try {
      return await this.#run(startSequence, stop);
    } finally {
      release();
    }
  }

  #noteNoticeOnce(): void {
    const { notice } = this.#context;
    if (notice !== undefined) this.#log.note(`[${notice}]`);
    this.#context.notice = undefined;
  }

  async #run(startSequence: number, stop: Stop): Promise<Attempt> {
    const onWait = (reason: string): void => this.#log.note(`[waiting: ${this.#masked(reason)}]`);
    const step = await this.#context.secrets.fillIn(this.#step, { stop: stop.signal, onWait });
    if (step === undefined) return this.#stopped(stop, {});
    this.#step = step;
    if (step.refusal !== undefined) return this.#refused(step.refusal);
    if (step.kind === 'put' && !(await this.#isRecorded(startSequence, stop))) {
      return this.#stopped(stop, { message: 'ended before the put began' });
    }
    if (!step.command) return this.#nothingToRun();
    const { shims, plan, commands } = this.#context;
    const printed = new Printed(step);
    try {
      const identity = await this.#identity(stop);
      if ('ended' in identity) return identity;
      const env = { ...this.#environment(step), ...identity.variables };
      const end = await runCommand({
        shims,
        command: { ...step.command, container: this.#container },
        env,
        cwd: plan.workdir,
        wantsOutput: step.kind === 'task',
        ...defined({ inputs: step.inputs, outputs: step.outputs }),
        ...callOf(step, { ...this.#input.exports, ...plan.variables, ...this.#input.variables }),
        stop: stop.signal,
        onRunning: (shim, { id }) => {
          const note = (line: string): void => this.#log.note(`[${this.#masked(line)}]`);
          commands.enter(step.id, { shim, beside: id, env, cwd: plan.workdir, note });
        },
        onOutput: (stream, bytes) => {
          if (stream === 'stderr' || !printed.isData) this.#log.write(stream, bytes);
          if (stream === 'stdout') printed.write(bytes);
        },
      });
      return await this.#judge(end, stop, printed);
    } finally {
      commands.leave(step.id);
    }
  }

  #masked(text: string): string {
    return maskMessage(this.#context.masker, text);
  }

  /** Fetches tokens for each command, as they expire soon. Notifications and Concourse types get none. */
  async #identity(stop: Stop): Promise<{ variables: Record<string, string> } | Attempt> {
    const { plan, masker, fetchIdentity } = this.#context;
    const { id: step, kind, call, timeoutSeconds: lifetimeSeconds } = this.#step;
    if (plan.identity === undefined || kind === 'notify' || call !== undefined) return { variables: {} };
    const fetched = await fetchIdentity({ step, ...defined({ lifetimeSeconds }) }, stop.signal);
    if (stop.reason !== undefined) return this.#stopped(stop, {});
    if ('variables' in fetched) {
      maskTokens(masker, fetched.variables);
      return fetched;
    }
    const message = this.#masked(fetched.problem);
    const cause = this.#failure('IdentityMissing', message.replace(/\.$/, ''));
    return { ended: { status: 'failed', message }, cause };
  }

  #environment(step: PlanStep): Record<string, string> {
    return environmentOf(step, { ...this.#input, digest: () => this.#context.digest.variables() });
  }

  /** A put has effects outside, so it must not start before the gateway has stored its start. */
  async #isRecorded(sequence: number, stop: Stop): Promise<boolean> {
    const stopped = new Promise<false>((resolve) => {
      if (stop.signal.aborted) resolve(false);
      stop.signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    const acknowledged = this.#context.outbox.whenAcknowledged(sequence).then(
      () => true,
      () => false,
    );
    return (await Promise.race([acknowledged, stopped])) && stop.reason === undefined;
  }

  #refused(refusal: string): Attempt {
    const message = this.#masked(refusal);
    const cause = this.#failure('SecretMissing', message.replace(/\.$/, ''));
    return { ended: { status: 'failed', message }, cause };
  }

  #nothingToRun(): Attempt {
    for (const [key, value] of Object.entries(this.#step.version ?? {})) {
      this.#log.note(this.#context.masker.mask(`${key}: ${value}`));
    }
    return this.#succeed('', new Printed(this.#step));
  }

  async #judge(end: CommandEnd, stop: Stop, printed: Printed): Promise<Attempt> {
    if ('lost' in end) {
      const message = this.#masked(end.lost);
      return { ended: { status: 'failed', message }, cause: this.#failure('AgentFault', message) };
    }
    // If the whole Pod is being terminated, the signal also reaches this agent soon and stops the step.
    if (end.terminated) await pauseFor(TERMINATION_SIGNAL_MS, stop.signal);
    const exit =
      end.end.kind === 'signal' ? { signal: signalName(end.end.signal) } : { exitCode: end.end.code };
    if (stop.reason !== undefined) return this.#stopped(stop, exit);
    const failure = whyFailed(end);
    if (failure === undefined) return this.#succeed(end.output, printed);
    const message = this.#masked(failure);
    const reason = end.outOfMemory ? 'OutOfMemory' : 'StepFailed';
    return { ended: { ...exit, status: 'failed', message }, cause: this.#failure(reason, message) };
  }

  /** A message in `exit` replaces the usual message of the step, but not that of the cause. */
  #stopped(stop: Stop, exit: Partial<Ended>): Attempt {
    const reason = stop.reason ?? 'session-over';
    const status = isTimeout(reason) ? 'failed' : 'cancelled';
    if (reason !== 'step-timeout') {
      const cause = causeOfStop(reason, this.#context.plan.timeoutSeconds);
      return { ended: { status, message: STOPPED[reason], ...exit }, cause };
    }
    const message = `timed out after ${formatSeconds(this.#step.timeoutSeconds ?? 0)}`;
    const cause = { ...this.#failure('StepTimeout', message), timedOut: true };
    return { ended: { message, ...exit, status }, cause };
  }

  #succeed(output: string, printed: Printed): Attempt {
    const step = this.#step;
    const known = { ...this.#input.exports, ...step.env, ...this.#input.variables };
    const result = printed.read((text) => this.#context.masker.mask(text), known);
    if ('problem' in result) return this.#unusable(result.problem, 0);
    if (result.note !== undefined) this.#log.note(`[${result.note}]`);
    return this.#withExports({ status: 'succeeded', exitCode: 0, ...result.made }, output);
  }

  #withExports(ended: Ended, output: string): Attempt {
    const { kind, exports: prefix = '', version = {} } = this.#step;
    switch (kind) {
      case 'get':
        return { ended, exports: exportVersion(prefix, version) };
      case 'task': {
        const { exports, warnings, problem } = parseOutput(prefix, output);
        for (const warning of warnings) this.#log.note(`[${this.#context.masker.mask(warning)}]`);
        return problem === undefined ? { ended, exports } : this.#unusable(problem, 1);
      }
      case 'put':
      case 'notify':
      case 'command':
        return { ended };
      default:
        throw new Error('a step of unknown kind');
    }
  }

  /** The command succeeded, but Millrace cannot use its output or exports. */
  #unusable(problem: string, exitCode: number): Attempt {
    const message = this.#masked(problem);
    const cause = this.#failure('StepFailed', message.replace(/\.$/, ''));
    return { ended: { status: 'failed', exitCode, message }, cause };
  }

  #failure(reason: OutcomeReason, why: string): Cause {
    const message = `Step ${this.#masked(this.#step.name)}: ${why}.`;
    return { outcome: 'failed', reason, message, known: reason !== 'AgentFault' };
  }
}
