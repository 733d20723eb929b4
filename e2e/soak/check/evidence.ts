import { buildKey, jobKey, type BuildName, type History, type JobName } from '#e2e/soak/history.ts';
import { JOBS, type JobSpec } from '#e2e/soak/pipelines.ts';
import type { AttemptRow, BuildRow, Database } from '#e2e/soak/truth.ts';

/**
 * All that the checker may look at: what the run did and saw, what the database and the API say, which Pods
 * are left.
 */
export interface Evidence {
  history: History;
  database: Database;
  shown: ShownBuild[];
  leftPods: string[];
}

export type ShownBuild = BuildName & { status: string; attempt: number; log: string };

export interface Violation {
  /** What it is about: a build, a job, a version. */
  subject: string;
  what: string;
  /** When it came about, as far as that is known: faults of that time are shown beside it. */
  at?: number;
}

/** A promise, and how many times it was tried. */
export interface Finding {
  promise: string;
  checked: number;
  violations: Violation[];
}

export type Rule = (evidence: Evidence) => Finding;

export const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'warning']);

/** Ways to end that are nobody's fault in the pipeline. */
export const INFRASTRUCTURE = new Set(['AgentFault', 'PodLost', 'PodEvicted']);

/** Looks at each item; an answer is a violation. */
export const each = <T>(
  promise: string,
  items: readonly T[],
  judge: (item: T) => Violation | undefined,
): Finding => ({ promise, checked: items.length, violations: items.flatMap((item) => judge(item) ?? []) });

export const specOf = (name: JobName): JobSpec => {
  const found = JOBS.find((job) => jobKey(job) === jobKey(name));
  if (found === undefined) throw new Error(`The soak run knows no job ${jobKey(name)}.`);
  return found;
};

export const groupBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> =>
  Map.groupBy(items, key);

/** A violation of a build, placed at its end or else its beginning. */
export const ofBuild = (build: BuildRow, what: string): Violation => ({
  subject: buildKey(build),
  what,
  at: build.endedAt ?? build.createdAt,
});

export const attemptsOf = ({ database }: Evidence, build: BuildRow): AttemptRow[] =>
  database.attempts.filter((attempt) => attempt.build === build.id);

/** The attempt is the last number but one in a Pod's name. */
export const attemptOfPod = (pod: string): number => Number(/-(\d+)-[0-9a-f]+$/.exec(pod)?.[1]);

export const isPodOf = (pod: string, { pipeline, job, number }: BuildName, attempt: number): boolean =>
  pod.startsWith(`${pipeline}-${job}-${number}-`) && attemptOfPod(pod) === attempt;
