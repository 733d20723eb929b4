import { closeBuild } from './apply-events.ts';
import type { BuildState, EventsApplied, StepState } from './build-state.ts';
import type { BuildOutcome, OutcomeReason, TerminationMessage } from './events.ts';

/** The end of a build by another word than its own event. */
export interface EndToSettle {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: string;
  /** What its agent left behind. */
  words?: TerminationMessage;
}

/**
 * What such an end changes: no step stays open, and what the last words prove of steps and versions is taken
 * over. Success stands only if every step is proven and no version is missing.
 */
export function settleBuild(state: BuildState, { words, ...end }: EndToSettle): EventsApplied {
  const told = words === undefined ? { state, puts: [], lost: [] } : takeWords(state, words, end.at);
  const proven = proveEnd(told.state, told.lost, end);
  return {
    state: closeBuild(told.state, proven.outcome, end.at),
    logs: cutLogs(state, told.state, end.at),
    puts: told.puts,
    end: { ...proven, at: end.at },
  };
}

/** Readers of a log see that its end may be missing: a step's log is whole once its own end was heard. */
function cutLogs(before: BuildState, after: BuildState, at: string): EventsApplied['logs'] {
  const unheard = before.steps.filter(
    ({ status }, index) =>
      status === 'started' || (status === 'waiting' && hasRun(after.steps[index]?.status ?? 'waiting')),
  );
  const text = '\n[The agent went before it could hand over the end of this log.]\n';
  return unheard.map(({ id: step }, index) => ({ sequence: before.applied + 1 + index, step, text, at }));
}

function hasRun(status: StepState['status']): boolean {
  return status !== 'waiting' && status !== 'skipped';
}

/** The steps of an attempt that another one follows. */
export function settleSteps(state: BuildState, at: string, words?: TerminationMessage): StepState[] {
  return closeBuild(words === undefined ? state : takeWords(state, words, at).state, 'failed', at).steps;
}

type Proven = Omit<EndToSettle, 'at' | 'words'>;

function proveEnd(state: BuildState, lost: StepState[], { outcome, reason, message }: Proven): Proven {
  const losses = lost.map(
    ({ name }) =>
      `The version that the put ${name} made is lost: the gateway was away, and there was no room for it in the agent's last words.`,
  );
  if (outcome !== 'succeeded') return { outcome, reason, message: [message, ...losses].join(' ') };
  const unproven = state.steps.find((step) => step.status !== 'succeeded');
  if (unproven !== undefined) {
    const told = `The agent left word of success, but step ${unproven.name} was not seen to succeed (${unproven.status}).`;
    return { outcome: 'failed', reason: 'AgentFault', message: told };
  }
  if (losses.length === 0) return { outcome, reason, message };
  const told = ['All steps succeeded.', ...losses, 'Run the job again if a second push does no harm.'].join(
    ' ',
  );
  return { outcome: 'failed', reason: 'VersionLost', message: told };
}

interface WordsTaken {
  state: BuildState;
  puts: EventsApplied['puts'];
  /** Puts that succeeded and whose versions are nowhere. */
  lost: StepState[];
}

/** What is recorded already stands: the words count for steps whose end was not heard. */
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

/** Undefined: its end was heard before, or the words tell of none. */
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
