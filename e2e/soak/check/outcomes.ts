import { buildKey, jobKey, KILL_KUBELET, type Fault, type Sighting } from '#e2e/soak/history.ts';
import type { AttemptRow, DatabaseContents, RecordedBuild } from '#e2e/soak/read-database.ts';
import {
  buildViolation,
  checkEach,
  FINAL_STATUSES,
  groupBy,
  INFRASTRUCTURE,
  isPodOf,
  jobSpecOf,
  recordedAttempts,
  type Evidence,
  type Rule,
  type Violation,
} from './evidence.ts';

/** The same limit as in `judge-pod-end.ts`. */
const MAX_ATTEMPTS = 5;

/** Compares the sightings of a build from the first final status on, and its record in the database. */
export const endsStay: Rule = ({ history, database }) => {
  const recorded = new Map(database.builds.map((build) => [buildKey(build), build]));
  return checkEach(
    'an outcome never changes, and no build vanishes',
    [...groupBy(history.sightings, buildKey)],
    ([key, sightings]): Violation | undefined => {
      const build = recorded.get(key);
      if (build === undefined) return { subject: key, what: 'was seen and is gone', ...atOf(sightings[0]) };
      const first = sightings.find(({ status }) => FINAL_STATUSES.has(status));
      const later = [...sightings.slice(first === undefined ? 0 : sightings.indexOf(first)), build];
      const other = first && later.find(({ status }) => status !== first.status);
      if (first === undefined || other === undefined) return undefined;
      return { subject: key, what: `was ${first.status}, then ${other.status}`, at: first.at };
    },
  );
};

const atOf = (sighting: Sighting | undefined): { at?: number } =>
  sighting === undefined ? {} : { at: sighting.at };

/** Builds end once faults stop, within the time that the run waits. */
export const buildsEnd: Rule = ({ database }) =>
  checkEach('every build ends', database.builds, (build) =>
    FINAL_STATUSES.has(build.status) && build.endedAt !== null
      ? undefined
      : buildViolation(
          build,
          `is ${build.status} (attempt ${build.attempt}): ${build.message ?? build.reason ?? ''}`,
        ),
  );

export const nothingWaits: Rule = ({ database, leftPods }) => ({
  invariant: 'nothing is left to do and no Pod remains',
  checked: 3,
  violations: [
    ...leftPods.map((pod) => ({ subject: pod, what: 'is a Pod that is left' })),
    ...database.waitingJobs.map((job) => ({ subject: job, what: 'still waits for a decision' })),
    ...(database.openRuns > 0 ? [{ subject: 'checks', what: `${database.openRuns} runs are open` }] : []),
  ],
});

/** Every build that has ended has an outcome that its job, the loss of its Pod or a newer build explains. */
export const outcomesAreExplained: Rule = (evidence) =>
  checkEach(
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    evidence.database.builds.filter(({ status }) => FINAL_STATUSES.has(status)),
    (build) => {
      const { fails = false } = jobSpecOf(build);
      if (build.status === 'failed' && build.reason !== null) {
        if (fails && build.reason === 'StepFailed') return undefined;
        if (INFRASTRUCTURE.has(build.reason) && mayEndAsLost(evidence, build)) return undefined;
      }
      if (build.status === 'succeeded' ? !fails : wasSuperseded(evidence, build)) return undefined;
      return buildViolation(build, `is ${build.status}: ${build.reason}: ${build.message}`);
    },
  );

/** Whether a newer build of a job with `passed` superseded this build before its first step. */
const wasSuperseded = (evidence: Evidence, build: RecordedBuild): boolean =>
  build.status === 'cancelled' &&
  build.reason === 'Superseded' &&
  jobSpecOf(build).trigger?.passed !== undefined &&
  startedSteps(evidence, build).length === 0 &&
  evidence.database.builds.some((other) => jobKey(other) === jobKey(build) && other.id > build.id);

/**
 * Whether Millrace may end a lost build instead of starting another attempt: a put had started, an earlier
 * attempt had run a step, or it was the last attempt.
 */
const mayEndAsLost = (evidence: Evidence, build: RecordedBuild): boolean => {
  const started = startedSteps(evidence, build);
  const hasPut = started.some(({ attempt, kind }) => attempt === build.attempt && kind === 'put');
  const hadEarlierStep = started.some(({ attempt }) => attempt < build.attempt);
  return hasPut || hadEarlierStep || build.attempt >= MAX_ATTEMPTS;
};

/** The steps that started in any attempt of a build. */
const startedSteps = ({ database }: Evidence, build: RecordedBuild): DatabaseContents['steps'] =>
  database.steps.filter(
    ({ build: id, status }) => id === build.id && status !== 'waiting' && status !== 'skipped',
  );

/**
 * Every lost attempt is explained by a fault aimed at its Pod, or by a kill of the kubelet as the Pod
 * started.
 */
export const attemptsAreLostToFaults: Rule = (evidence) => {
  const lost = evidence.database.builds.flatMap((build) =>
    recordedAttempts(evidence, build)
      .map((attempt) => ({ build, attempt, why: whyLost(build, attempt) }))
      .filter(({ why }) => why !== undefined),
  );
  return checkEach(
    'only a fault aimed at its Pod costs a build an attempt',
    lost,
    ({ build, attempt, why }) => {
      if (evidence.history.faults.some((fault) => explainsLoss(fault, build, attempt))) return undefined;
      return {
        subject: `${buildKey(build)} attempt ${attempt.attempt}`,
        what: `was lost though nothing was done to its Pod: ${why}`,
        at: attempt.endedAt ?? build.createdAt,
      };
    },
  );
};

/**
 * A killed kubelet loses the containers that it was about to start, and the next kubelet reports them as
 * failed. A Pod may have such containers for this long.
 */
const STARTING_MS = 15_000;

const explainsLoss = (fault: Fault, build: RecordedBuild, attempt: AttemptRow): boolean => {
  const { name, from, to = from, pod } = fault;
  const { createdAt } = attempt;
  if (name === KILL_KUBELET) return from >= createdAt - 1000 && from <= createdAt + STARTING_MS;
  const end = attempt.endedAt ?? build.endedAt ?? Infinity;
  return (
    pod !== undefined && isPodOf(pod, build, attempt.attempt) && to >= createdAt - 1000 && from <= end + 1000
  );
};

const whyLost = (build: RecordedBuild, attempt: AttemptRow): string | undefined => {
  if (attempt.reason !== null) return attempt.reason;
  const last = attempt.attempt === build.attempt && INFRASTRUCTURE.has(build.reason ?? '');
  return last ? `${build.reason}: ${build.message}` : undefined;
};
