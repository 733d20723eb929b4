import type { CheckResult, CheckResultsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { MAX_PARALLEL_CHECKS } from '#domain/planning/check-deadline.ts';
import { stepsIn } from '#domain/planning/plan-tree.ts';
import type { CheckRun, Plan, PlanStep } from '#domain/planning/plan.ts';

/** Results per request, as in the real agent. */
const RESULTS_AT_ONCE = 4;
/** Multiples of the golden ratio spread evenly over an interval. */
const GOLDEN = 0.618_033_988_749_895;

/** How long the checks of a Pod take, given the duration of each and how many run in parallel. */
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

/** The requests of an agent with the results of its checks; the last one says `done`. */
export function resultsOf(
  run: Pick<CheckRun, 'checks'>,
  { now, everyMs }: { now: number; everyMs: number },
): CheckResultsRequest[] {
  const results = run.checks.map(({ scope }): CheckResult => ({
    scope,
    versions: [versionAt(scope, now, everyMs)],
    log: 'checked\n',
  }));
  const last = Math.max(0, Math.ceil(results.length / RESULTS_AT_ONCE) - 1);
  return Array.from({ length: last + 1 }, (_, index) => ({
    results: results.slice(index * RESULTS_AT_ONCE, (index + 1) * RESULTS_AT_ONCE),
    done: index === last,
  }));
}

/** Events sent in one request. */
export interface Turn {
  events: BuildEvent[];
  /** A step runs after these events. */
  runs: boolean;
}

type Unnumbered = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;

/** All reports of an agent whose build's steps succeed. The end of a step travels with the next beginning. */
export function* turnsOf({ steps }: Pick<Plan, 'steps'>, at: () => string): Generator<Turn> {
  let sequence = 0;
  const number = (events: Unnumbered[]): BuildEvent[] =>
    events.map((event) => ({ ...event, sequence: ++sequence, at: at() }));
  let before: Unnumbered[] = [];
  for (const step of stepsIn(steps)) {
    const started: Unnumbered = { type: 'step-started', step: step.id };
    const log: Unnumbered = { type: 'log', step: step.id, text: `${step.name}\n` };
    yield { events: number([...before, started, log]), runs: true };
    before = [endOf(step)];
  }
  yield { events: number([...before, WELL]), runs: false };
}

const WELL: Unnumbered = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
};

function endOf({ id, kind, params }: PlanStep): Unnumbered {
  const made = kind === 'put' ? { version: params ?? {} } : {};
  return { type: 'step-ended', step: id, status: 'succeeded', exitCode: 0, ...made };
}
