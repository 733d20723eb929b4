import type { StepRecord } from '#domain/planning/step-records.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import type { BuildState, EventsApplied, StepState } from './build-state.ts';
import type { BuildEvent, BuildOutcome, StepEnded } from './events.ts';
import { cutLog, DEFAULT_LOG_BYTES } from './log-limit.ts';
import { unprovenStep } from './step-proof.ts';

/** The state of an attempt before its first event. */
export function newBuildState(steps: StepRecord[]): BuildState {
  return {
    status: 'pending',
    applied: 0,
    logBytes: 0,
    steps: steps.map((step) => ({ ...step, status: 'waiting' })),
  };
}

/**
 * Applies events in the order of their sequence numbers, each once, up to the first gap. Events that arrive
 * after the end of the build count as applied, but change nothing else. A build succeeds only if every step
 * that must succeed has succeeded (see `unprovenStep`). `logLimit`: in bytes.
 */
export function applyEvents(
  state: BuildState,
  events: BuildEvent[],
  logLimit: number = DEFAULT_LOG_BYTES,
): EventsApplied {
  let applied: EventsApplied = { state, logs: [], puts: [] };
  for (const event of events.toSorted((a, b) => a.sequence - b.sequence)) {
    const { state: current } = applied;
    if (event.sequence <= current.applied) continue;
    if (event.sequence > current.applied + 1) break;
    const counted = { ...applied, state: { ...current, applied: event.sequence } };
    applied = isActive(current.status) ? applyEvent(counted, event, logLimit) : counted;
  }
  return applied;
}

function applyEvent(applied: EventsApplied, event: BuildEvent, logLimit: number): EventsApplied {
  switch (event.type) {
    case 'step-started':
      return applyStepStart(applied, event);
    case 'log':
      return applyLog(applied, event, logLimit);
    case 'step-ended':
      return applyStepEnd(applied, event);
    case 'build-ended':
      return applyBuildEnd(applied, event);
    default:
      // A newer agent may send an event of an unknown type. The event counts as applied.
      return applied;
  }
}

function applyLog(
  applied: EventsApplied,
  event: BuildEvent & { type: 'log' },
  logLimit: number,
): EventsApplied {
  const { sequence, step, at } = event;
  if (!stepOf(applied.state, step)) return applied;
  const { text, used } = cutLog(event.text, applied.state.logBytes, logLimit);
  if (text === '') return applied;
  const state = { ...applied.state, logBytes: used };
  return { ...applied, state, logs: [...applied.logs, { sequence, step, text, at }] };
}

/**
 * Starts a step. A step that has started before starts again only if the event has the number of a new
 * attempt.
 */
function applyStepStart(
  applied: EventsApplied,
  { step: id, attempt, at }: { step: string; attempt?: number; at: string },
): EventsApplied {
  const step = stepOf(applied.state, id);
  if (step === undefined || (step.status !== 'waiting' && attempt === undefined)) return applied;
  const isFirstStart = applied.state.status === 'pending';
  const startFields =
    attempt === undefined ? { startedAt: at } : { startedAt: step.startedAt ?? at, attempt };
  const state = withStep(applied.state, { ...withoutPreviousEnd(step), status: 'started', ...startFields });
  return { ...applied, state: { ...state, status: 'started' }, ...(isFirstStart ? { startedAt: at } : {}) };
}

/** The step without the result of its previous attempt. */
function withoutPreviousEnd(step: StepState): StepState {
  const { endedAt: _at, exitCode: _code, message: _message, metadata: _metadata, ...running } = step;
  return running;
}

function applyStepEnd(applied: EventsApplied, event: StepEnded & { at: string }): EventsApplied {
  const step = stepOf(applied.state, event.step);
  if (!step || !mayEnd(step, event)) return applied;
  const ended = endedStep(step, event);
  const state = withStep(applied.state, ended);
  const { type, status, version = {} } = event;
  const withSizes = { ...applied, ...cacheSizesAfter(applied, step, event) };
  const hasNewVersion =
    step.kind === 'put' && ended.status === 'succeeded' && Object.keys(version).length > 0;
  if (!hasNewVersion) return { ...withSizes, state };
  return { ...withSizes, state, puts: [...applied.puts, { type, step: step.id, status, version }] };
}

/**
 * Adds the size that a step reports to the cache sizes. The cache of a get or put has the name of the
 * resource. A task reports the name of its cache.
 */
function cacheSizesAfter(
  { cacheSizes = [] }: EventsApplied,
  { kind, name }: StepState,
  { cacheBytes: bytes, cache }: StepEnded,
): Pick<EventsApplied, 'cacheSizes'> {
  const resource = kind === 'get' || kind === 'put' ? name : cache;
  if (bytes === undefined || resource === undefined) return {};
  return { cacheSizes: [...cacheSizes, { resource, bytes }] };
}

/** The step with its end. A step that reports success counts as failed if its process failed. */
function endedStep(step: StepState, event: StepEnded & { at: string }): StepState {
  const { exitCode, signal, metadata } = event;
  const isContradictory = event.status === 'succeeded' && ((exitCode ?? 0) !== 0 || signal !== undefined);
  const message = isContradictory ? 'reported as succeeded, but its process failed' : event.message;
  return {
    ...step,
    status: isContradictory ? 'failed' : event.status,
    endedAt: event.at,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(message === undefined ? {} : { message }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A step that has not started can be skipped or cancelled, but cannot succeed or fail. */
function mayEnd(step: StepState, event: StepEnded): boolean {
  if (step.status === 'started') return true;
  return step.status === 'waiting' && (event.status === 'skipped' || event.status === 'cancelled');
}

function applyBuildEnd(applied: EventsApplied, event: BuildEvent & { type: 'build-ended' }): EventsApplied {
  const unproven = event.outcome === 'succeeded' ? unprovenStep(applied.state.steps) : undefined;
  const end = unproven
    ? ({
        outcome: 'failed',
        reason: 'AgentFault',
        message: `The agent reported success, but step ${unproven.name} did not succeed (${unproven.status}).`,
      } as const)
    : { outcome: event.outcome, reason: event.reason, message: event.message };
  return {
    ...applied,
    state: closeBuild(applied.state, end.outcome, event.at),
    end: { ...end, at: event.at },
  };
}

/**
 * The state after the end of the build. Steps that have not started are skipped. Steps whose end was not
 * reported are cancelled if the build is, otherwise failed.
 */
export function closeBuild(state: BuildState, outcome: BuildOutcome, at: string): BuildState {
  if (!isActive(state.status)) return state;
  const steps = state.steps.map((step): StepState => {
    if (step.status === 'waiting') return { ...step, status: 'skipped' };
    if (step.status !== 'started') return step;
    const status = outcome === 'cancelled' ? 'cancelled' : 'failed';
    return { ...step, status, endedAt: at, message: 'its end was never reported' };
  });
  return { ...state, status: outcome, steps };
}

function stepOf(state: BuildState, id: string): StepState | undefined {
  return state.steps.find((step) => step.id === id);
}

function withStep(state: BuildState, changed: StepState): BuildState {
  return { ...state, steps: state.steps.map((step) => (step.id === changed.id ? changed : step)) };
}
