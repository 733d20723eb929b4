import { closeBuild } from './apply-events.ts';
import type { BuildState, EventsApplied, StepState } from './build-state.ts';
import type { BuildOutcome, OutcomeReason, TerminationMessage } from './events.ts';

/** An end of a build that its agent did not report as an event. */
export interface EndToSettle {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: string;
  /** The termination message of its agent. */
  words?: TerminationMessage;
}

/**
 * What such an end changes. No step stays open, and steps and versions in the termination message are
 * recorded. The build succeeds only if every step is proven and no version is missing.
 */
export function settleBuild(state: BuildState, { words, ...end }: EndToSettle): EventsApplied {
  const withWords = words === undefined ? { state, puts: [], lost: [] } : takeWords(state, words, end.at);
  const proven = proveEnd(withWords.state, withWords.lost, end);
  return {
    state: closeBuild(withWords.state, proven.outcome, end.at),
    logs: cutLogs(state, withWords.state, end.at),
    puts: withWords.puts,
    end: { ...proven, at: end.at },
  };
}

/** Marks the logs of steps whose end was not reported: the last lines may be missing. */
function cutLogs(before: BuildState, after: BuildState, at: string): EventsApplied['logs'] {
  const unheard = before.steps.filter(
    ({ status }, index) =>
      status === 'started' || (status === 'waiting' && hasRun(after.steps[index]?.status ?? 'waiting')),
  );
  const text = '\n[The agent ended before it could send the rest of this log.]\n';
  return unheard.map(({ id: step }, index) => ({ sequence: before.applied + 1 + index, step, text, at }));
}

function hasRun(status: StepState['status']): boolean {
  return status !== 'waiting' && status !== 'skipped';
}

/** The steps of an attempt that is followed by another one. */
export function settleSteps(state: BuildState, at: string, words?: TerminationMessage): StepState[] {
  return closeBuild(words === undefined ? state : takeWords(state, words, at).state, 'failed', at).steps;
}

type Proven = Omit<EndToSettle, 'at' | 'words'>;

function proveEnd(state: BuildState, lost: StepState[], { outcome, reason, message }: Proven): Proven {
  const losses = lost.map(
    ({ name }) =>
      `The version that the put ${name} made is lost: the agent could not reach the gateway, ` +
      'and its termination message had no room for it.',
  );
  if (outcome !== 'succeeded') return { outcome, reason, message: [message, ...losses].join(' ') };
  const unproven = state.steps.find((step) => step.status !== 'succeeded');
  if (unproven !== undefined) {
    return {
      outcome: 'failed',
      reason: 'AgentFault',
      message: `The agent reported success, but step ${unproven.name} did not succeed (${unproven.status}).`,
    };
  }
  if (losses.length === 0) return { outcome, reason, message };
  const withWords = [
    'All steps succeeded.',
    ...losses,
    'Run the job again if a second push does no harm.',
  ].join(' ');
  return { outcome: 'failed', reason: 'VersionLost', message: withWords };
}

interface WordsTaken {
  state: BuildState;
  puts: EventsApplied['puts'];
  /** Puts that succeeded but whose versions are lost. */
  lost: StepState[];
}

/** Records the termination message. It only counts for steps whose end was not reported. */
function takeWords(state: BuildState, words: TerminationMessage, at: string): WordsTaken {
  const puts: EventsApplied['puts'] = [];
  const lost: StepState[] = [];
  const steps = state.steps.map((step): StepState => {
    const ended = endedByWords(step, words, at);
    if (ended?.kind !== 'put' || ended.status !== 'succeeded') return ended ?? step;
    const version = words.versions?.[step.id];
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

/** Undefined: its end was reported before, or the message has none. */
function endedByWords(
  step: StepState,
  { exits, statuses }: TerminationMessage,
  at: string,
): StepState | undefined {
  const exit = exits[step.id];
  if (exit === undefined || (step.status !== 'waiting' && step.status !== 'started')) return undefined;
  const status = statuses?.[step.id] ?? (exit === 0 ? 'succeeded' : 'failed');
  return { ...step, status, endedAt: at, ...(exit === null ? {} : { exitCode: exit }) };
}
