import { sectionKeyOf, type BuildLog } from './build-log.ts';
import { StepLines } from './step-lines.ts';

/** What the page needs of a build in the API. */
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
  /** Absent in an earlier attempt of the build: only the last one has recorded steps. */
  status?: string;
  startedAt?: string;
  endedAt?: string;
  lines: StepLines;
}

const NO_LINES = new StepLines();
const GROUPS = new Set(['parallel', 'branch']);
const NOT_RUN = new Set(['waiting', 'skipped']);

/** The sections of a log: attempts in order, and in each the steps as the plan runs them. */
export function logSectionsOf(log: BuildLog, build: ShownBuild | undefined): LogSection[] {
  const steps = build?.steps ?? [];
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const byKey = new Map(log.steps.map((step) => [step.key, step]));
  const current = build?.attempt ?? 1;
  const started = steps.filter(({ kind, status }) => !GROUPS.has(kind) && !NOT_RUN.has(status));
  for (const { id } of started) {
    const key = sectionKeyOf(current, id);
    if (!byKey.has(key)) byKey.set(key, { key, attempt: current, step: id, lines: NO_LINES });
  }
  const place = (id: string): number => places.get(id) ?? steps.length;
  return [...byKey.values()]
    .toSorted((a, b) => a.attempt - b.attempt || place(a.step) - place(b.step))
    .map(({ key, attempt, step: id, lines }) => {
      const step = steps[place(id)];
      const title = titleOf(step, id, attempt < current || attempt > 1 ? attempt : undefined);
      return attempt === current && step !== undefined
        ? { key, title, lines, status: step.status, ...timesOf(step) }
        : { key, title, lines };
    });
}

function titleOf(step: ShownStep | undefined, id: string, attempt: number | undefined): string {
  const name = step === undefined ? id : [step.hook, step.kind, step.name].filter(Boolean).join(' ');
  return attempt === undefined ? name : `${name}, attempt ${attempt}`;
}

function timesOf({ started_at, ended_at }: ShownStep): { startedAt?: string; endedAt?: string } {
  return {
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    ...(ended_at === undefined ? {} : { endedAt: ended_at }),
  };
}

/**
 * Whether a section is open before the viewer chooses: while the page watches a build, all are; on a page that
 * was opened after the end, those that went wrong are, or the only one.
 */
export function opensAtFirst({ status }: Pick<LogSection, 'status'>, of: number, hadEnded: boolean): boolean {
  if (!hadEnded || of === 1) return true;
  return status !== undefined && status !== 'succeeded' && status !== 'skipped';
}
