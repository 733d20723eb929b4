import type { CheckResult, CheckResultsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { MAX_PARALLEL_CHECKS } from '#domain/planning/check-deadline.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';

/** Results of one request: as many as the real agent sends. */
const RESULTS_AT_ONCE = 4;
/** Multiples of it fill an interval evenly. */
const GOLDEN = 0.618_033_988_749_895;

/** How long the checks of a Pod take, when each takes that long and a few run side by side. */
export function checksMs(run: Pick<CheckRun, 'checks'>, eachMs: number): number {
  return Math.ceil(run.checks.length / MAX_PARALLEL_CHECKS) * eachMs;
}

/** A new version of a resource comes once in so many milliseconds, of each at another moment. */
export function versionAt(scope: string, now: number, everyMs: number): Record<string, string> {
  const phase = (Number(scope) * GOLDEN) % 1;
  return { ref: `${scope}-${Math.floor(now / everyMs + phase)}` };
}

/** What the agent of a run of checks posts, one request after another; the last says that it is. */
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

/** Events that travel together. */
export interface Turn {
  events: BuildEvent[];
  /** A step runs after it. */
  runs: boolean;
}

type Unnumbered = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;

/**
 * All that an agent tells of a build whose steps succeed: the end of a step travels with what begins next.
 */
export function* turnsOf({ steps }: Pick<Plan, 'steps'>, at: () => string): Generator<Turn> {
  let sequence = 0;
  const number = (events: Unnumbered[]): BuildEvent[] =>
    events.map((event) => ({ ...event, sequence: ++sequence, at: at() }));
  let before: Unnumbered[] = [];
  for (const step of steps) {
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

function endOf({ id, kind, params }: Plan['steps'][number]): Unnumbered {
  const made = kind === 'put' ? { version: params ?? {} } : {};
  return { type: 'step-ended', step: id, status: 'succeeded', exitCode: 0, ...made };
}
