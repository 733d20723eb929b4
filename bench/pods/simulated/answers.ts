import type { CheckResult, CheckResultsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { MAX_PARALLEL_CHECKS } from '#domain/planning/check-deadline.ts';
import { stepsIn } from '#domain/planning/plan-tree.ts';
import type { CheckRun, Plan, PlanStep } from '#domain/planning/plan.ts';

/** Most results per request, as in the real agent. */
const RESULTS_PER_REQUEST = 4;
/** Multiples of the golden ratio spread evenly over an interval. */
const GOLDEN = 0.618_033_988_749_895;

/**
 * Milliseconds that the checks of a Pod take if each takes `eachMs`; `MAX_PARALLEL_CHECKS` run in parallel.
 */
export function checksMs(run: Pick<CheckRun, 'checks'>, eachMs: number): number {
  return Math.ceil(run.checks.length / MAX_PARALLEL_CHECKS) * eachMs;
}

/**
 * The version of a resource, which changes every `everyMs` milliseconds, at a different time for each
 * resource.
 */
export function versionAt(scope: string, now: number, everyMs: number): Record<string, string> {
  const phase = (Number(scope) * GOLDEN) % 1;
  return { ref: `${scope}-${Math.floor(now / everyMs + phase)}` };
}

/**
 * The requests in which an agent sends the results of its checks. Each check finds one version. Only the last
 * request has `done`.
 */
export function resultsOf(
  run: Pick<CheckRun, 'checks'>,
  { now, everyMs }: { now: number; everyMs: number },
): CheckResultsRequest[] {
  const results = run.checks.map(({ scope }): CheckResult => ({
    scope,
    versions: [versionAt(scope, now, everyMs)],
    log: 'checked\n',
  }));
  const last = Math.max(0, Math.ceil(results.length / RESULTS_PER_REQUEST) - 1);
  return Array.from({ length: last + 1 }, (_, index) => ({
    results: results.slice(index * RESULTS_PER_REQUEST, (index + 1) * RESULTS_PER_REQUEST),
    done: index === last,
  }));
}

/** Events sent in one request. */
export interface EventBatch {
  events: BuildEvent[];
  /** Whether a step runs after these events. */
  stepRuns: boolean;
}

type UnnumberedEvent = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;

/**
 * Yields the events that an agent reports for a build whose steps all run and succeed, one after another. The
 * end of a step is in the same batch as the start of the next step, or as the end of the build.
 */
export function* eventBatches({ steps }: Pick<Plan, 'steps'>, at: () => string): Generator<EventBatch> {
  let sequence = 0;
  const number = (events: UnnumberedEvent[]): BuildEvent[] =>
    events.map((event) => ({ ...event, sequence: ++sequence, at: at() }));
  let endOfPrevious: UnnumberedEvent[] = [];
  for (const step of stepsIn(steps)) {
    const started: UnnumberedEvent = { type: 'step-started', step: step.id };
    const log: UnnumberedEvent = { type: 'log', step: step.id, text: `${step.name}\n` };
    yield { events: number([...endOfPrevious, started, log]), stepRuns: true };
    endOfPrevious = [stepEnded(step)];
  }
  yield { events: number([...endOfPrevious, BUILD_SUCCEEDED]), stepRuns: false };
}

const BUILD_SUCCEEDED: UnnumberedEvent = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
};

function stepEnded({ id, kind, params }: PlanStep): UnnumberedEvent {
  const made = kind === 'put' ? { version: params ?? {} } : {};
  return { type: 'step-ended', step: id, status: 'succeeded', exitCode: 0, ...made };
}
