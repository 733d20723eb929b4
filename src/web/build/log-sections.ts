import { sectionKeyOf, type BuildLog } from './build-log.ts';
import { StepLines } from './step-lines.ts';

/** The fields of a build in the API that the page needs. */
export interface ShownBuild {
  status: string;
  attempt: number;
  ended_at?: string;
  steps: ShownStep[];
}

interface ShownStep {
  id: string;
  kind: string;
  name: string;
  parent?: string;
  hook?: string;
  attempt?: number;
  status: string;
  started_at?: string;
  ended_at?: string;
}

/** A step of the log with its header. */
export interface LogSection {
  key: string;
  title: string;
  /** Absent for an earlier attempt of the build, because only the last attempt has recorded steps. */
  status?: string;
  startedAt?: string;
  endedAt?: string;
  lines: StepLines;
}

const NO_LINES = new StepLines();
const GROUPS = new Set(['parallel', 'branch']);
const NOT_RUN = new Set(['waiting', 'skipped']);

/**
 * The sections of a log: one for each step that has started or has a log, but for a group only if it has a
 * log. They are ordered by attempt, then as in the plan.
 */
export function logSectionsOf(log: BuildLog, build: ShownBuild | undefined): LogSection[] {
  const steps = build?.steps ?? [];
  const indexes = new Map(steps.map(({ id }, index) => [id, index]));
  const byKey = new Map(log.steps.map((step) => [step.key, step]));
  const current = build?.attempt ?? 1;
  const started = steps.filter(({ kind, status }) => !GROUPS.has(kind) && !NOT_RUN.has(status));
  for (const { id } of started) {
    const key = sectionKeyOf(current, id);
    if (!byKey.has(key)) byKey.set(key, { key, attempt: current, step: id, lines: NO_LINES });
  }
  const indexOf = (id: string): number => indexes.get(id) ?? steps.length;
  return [...byKey.values()]
    .toSorted((a, b) => a.attempt - b.attempt || indexOf(a.step) - indexOf(b.step))
    .map(({ key, attempt, step: id, lines }) => {
      const step = steps[indexOf(id)];
      const hasSeveralAttempts = Math.max(attempt, current) > 1;
      const title = titleOf(step, id, hasSeveralAttempts ? attempt : undefined);
      return attempt === current && step !== undefined
        ? { key, title, lines, status: step.status, ...timesOf(step) }
        : { key, title, lines };
    });
}

function titleOf(step: ShownStep | undefined, id: string, attempt: number | undefined): string {
  const name = step === undefined ? id : nameOf(step);
  return attempt === undefined ? name : `${name}, attempt ${attempt}`;
}

function nameOf({ hook, kind, name }: ShownStep): string {
  return [hook, kind === 'parallel' ? undefined : kind, name].filter(Boolean).join(' ');
}

function timesOf({ started_at, ended_at }: ShownStep): { startedAt?: string; endedAt?: string } {
  return {
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    ...(ended_at === undefined ? {} : { endedAt: ended_at }),
  };
}

/**
 * Whether a section is open until the viewer folds or unfolds it. While a build runs, all sections are open.
 * If the build had ended when the page was opened, only the sections of steps that ran and did not succeed
 * are open. The sections of earlier attempts, which have no status, are then folded. The only section of a
 * log is always open.
 */
export function opensAtFirst(
  { status }: Pick<LogSection, 'status'>,
  sectionCount: number,
  hadEnded: boolean,
): boolean {
  if (!hadEnded || sectionCount === 1) return true;
  return status !== undefined && status !== 'succeeded' && status !== 'skipped';
}
