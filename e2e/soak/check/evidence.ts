import { buildKey, jobKey, type BuildOfRun, type SoakHistory, type SoakJob } from '#e2e/soak/history.ts';
import { JOBS, type JobSpec } from '#e2e/soak/pipelines.ts';
import type { AttemptRow, RecordedBuild, DatabaseContents } from '#e2e/soak/read-database.ts';

/**
 * Everything that the checker may use: the run's own history, the database, the API's answers and the
 * remaining Pods.
 */
export interface Evidence {
  history: SoakHistory;
  database: DatabaseContents;
  /** The builds as the API shows them. */
  shown: BuildInApi[];
  /** The names and phases of the Pods that remain. */
  leftPods: string[];
}

export type BuildInApi = BuildOfRun & { status: string; attempt: number; log: string };

export interface Violation {
  /** What breaks the rule, such as a build, a job, a version or a Pod. */
  subject: string;
  what: string;
  /** When it happened, if known; the report shows the faults of that time beside it. */
  at?: number;
}

/** A rule, the number of items that it was checked on, and the violations. */
export interface RuleResult {
  invariant: string;
  checked: number;
  violations: Violation[];
}

export type Rule = (evidence: Evidence) => RuleResult;

export const FINAL_STATUSES = new Set(['succeeded', 'failed', 'cancelled', 'warning']);

/** Reasons that blame the infrastructure and not the pipeline. */
export const INFRASTRUCTURE = new Set(['AgentFault', 'PodLost', 'PodEvicted']);

/** Checks each item with `judge`, which returns a violation or undefined. */
export const checkEach = <T>(
  invariant: string,
  items: readonly T[],
  judge: (item: T) => Violation | undefined,
): RuleResult => ({
  invariant,
  checked: items.length,
  violations: items.flatMap((item) => judge(item) ?? []),
});

export const jobSpecOf = (name: SoakJob): JobSpec => {
  const found = JOBS.find((job) => jobKey(job) === jobKey(name));
  if (found === undefined) throw new Error(`The soak run knows no job ${jobKey(name)}.`);
  return found;
};

export const groupBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> =>
  Map.groupBy(items, key);

/** A violation by a build, at the time the build ended or, if it has not ended, was created. */
export const buildViolation = (build: RecordedBuild, what: string): Violation => ({
  subject: buildKey(build),
  what,
  at: build.endedAt ?? build.createdAt,
});

/** Whether the agent's own report of the build's end was recorded. */
export const isProven = ({ status, reason }: RecordedBuild): boolean =>
  status === 'succeeded' || reason === 'StepFailed';

/** Whether a fault was to end the Pod of this attempt or one of its containers. */
export const wasHit = ({ history }: Evidence, build: BuildOfRun, attempt: number): boolean =>
  history.faults.some(({ pod }) => pod !== undefined && isPodOf(pod, build, attempt));

export const recordedAttempts = ({ database }: Evidence, build: RecordedBuild): AttemptRow[] =>
  database.attempts.filter((attempt) => attempt.build === build.id);

/** The attempt is the second last part of a Pod's name. */
export const attemptOfPod = (pod: string): number => Number(/-(\d+)-[0-9a-f]+$/.exec(pod)?.[1]);

export const isPodOf = (pod: string, { pipeline, job, number }: BuildOfRun, attempt: number): boolean =>
  pod.startsWith(`${pipeline}-${job}-${number}-`) && attemptOfPod(pod) === attempt;
