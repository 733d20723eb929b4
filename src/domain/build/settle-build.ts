import { closeBuild } from './apply-events.ts';
import type { BuildState, EventsApplied, StepState } from './build-state.ts';
import type { BuildOutcome, OutcomeReason, TerminationMessage } from './events.ts';
import { unprovenStep } from './step-proof.ts';

/** The end of a build whose agent did not report the end as an event. */
export interface EndToSettle {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: string;
  /** The termination message of its agent. */
  termination?: TerminationMessage;
}

/**
 * What the end of a build changes, if its agent did not report the end as an event. Steps and versions in the
 * termination message are recorded, and every other step ends too (see `closeBuild`). The build succeeds only
 * if every step that must succeed is proven to have succeeded and no version is lost.
 */
export function settleBuild(state: BuildState, { termination, ...end }: EndToSettle): EventsApplied {
  const applied =
    termination === undefined ? { state, puts: [], lost: [] } : applyTermination(state, termination, end.at);
  const proven = proveEnd(applied.state, applied.lost, end);
  return {
    state: closeBuild(applied.state, proven.outcome, end.at),
    logs: notesOnCutLogs(state, applied.state, end.at),
    puts: applied.puts,
    end: { ...proven, at: end.at },
  };
}

/**
 * A last line for the log of each step whose end was not reported. It says that the log before it may be
 * incomplete.
 */
function notesOnCutLogs(before: BuildState, after: BuildState, at: string): EventsApplied['logs'] {
  const unreported = before.steps.filter(
    ({ status }, index) =>
      status === 'started' || (status === 'waiting' && hasRun(after.steps[index]?.status ?? 'waiting')),
  );
  const text = '\n[The agent ended before it could send the rest of this log.]\n';
  return unreported.map(({ id: step }, index) => ({ sequence: before.applied + 1 + index, step, text, at }));
}

function hasRun(status: StepState['status']): boolean {
  return status !== 'waiting' && status !== 'skipped';
}

/** The final steps of an attempt that another attempt replaces. */
export function settleSteps(state: BuildState, at: string, termination?: TerminationMessage): StepState[] {
  const last = termination === undefined ? state : applyTermination(state, termination, at).state;
  return closeBuild(last, 'failed', at).steps;
}

type ProvenEnd = Omit<EndToSettle, 'at' | 'termination'>;

/** The end of the build, after checking a reported success and adding lost versions to the message. */
function proveEnd(state: BuildState, lost: StepState[], { outcome, reason, message }: ProvenEnd): ProvenEnd {
  const losses = lost.map(
    ({ name }) =>
      `The version that the put ${name} made is lost: the agent could not reach the gateway, ` +
      'and its termination message had no room for it.',
  );
  if (outcome !== 'succeeded') return { outcome, reason, message: [message, ...losses].join(' ') };
  const unproven = unprovenStep(state.steps);
  if (unproven !== undefined) {
    return {
      outcome: 'failed',
      reason: 'AgentFault',
      message: `The agent reported success, but step ${unproven.name} did not succeed (${unproven.status}).`,
    };
  }
  if (losses.length === 0) return { outcome, reason, message };
  const explanation = [
    'All steps succeeded.',
    ...losses,
    'Run the job again if a second push does no harm.',
  ].join(' ');
  return { outcome: 'failed', reason: 'VersionLost', message: explanation };
}

interface TerminationApplied {
  state: BuildState;
  puts: EventsApplied['puts'];
  /** Steps of puts that succeeded, but whose versions are lost. */
  lost: StepState[];
}

/** Whether the reported events and the termination message together prove success. */
export function provesSuccess(state: BuildState, termination: TerminationMessage): boolean {
  return unprovenStep(applyTermination(state, termination, '').state.steps) === undefined;
}

/**
 * The state with what the termination message reports. For steps whose end was reported as an event, the
 * message does not count.
 */
function applyTermination(
  state: BuildState,
  termination: TerminationMessage,
  at: string,
): TerminationApplied {
  const puts: EventsApplied['puts'] = [];
  const lost: StepState[] = [];
  const steps = state.steps.map((step): StepState => {
    const ended = endedByTermination(step, termination, at);
    if (ended?.kind !== 'put' || ended.status !== 'succeeded') return ended ?? step;
    const version = termination.versions?.[step.id];
    if (version === undefined) {
      lost.push(ended);
      return { ...ended, message: 'its version is lost' };
    }
    if (Object.keys(version).length > 0) {
      puts.push({ type: 'step-ended', step: step.id, status: 'succeeded', version });
    }
    return ended;
  });
  return { state: { ...state, steps }, puts, lost };
}

/**
 * The step with the end that the termination message reports. Undefined: the end was reported as an event, or
 * the message has no end of this step.
 */
function endedByTermination(
  step: StepState,
  { exits, statuses }: TerminationMessage,
  at: string,
): StepState | undefined {
  const exit = exits[step.id];
  if (exit === undefined || (step.status !== 'waiting' && step.status !== 'started')) return undefined;
  const status = statuses?.[step.id] ?? (exit === 0 ? 'succeeded' : 'failed');
  return { ...step, status, endedAt: at, ...(exit === null ? {} : { exitCode: exit }) };
}
