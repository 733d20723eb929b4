import { buildKey, type StepExecution } from '#e2e/soak/history.ts';
import { HOOK_EVENTS, type HookEvent } from '#e2e/soak/pipelines.ts';
import type { RecordedBuild } from '#e2e/soak/read-database.ts';
import {
  attemptOfPod,
  buildViolation,
  checkEach,
  isPodOf,
  isProven,
  jobSpecOf,
  wasHit,
  type Evidence,
  type Rule,
} from './evidence.ts';

/* Hooks, services and notifications of builds. */

/**
 * The last report of a service may arrive this long after the end of its build, because the machine is busy.
 */
const LATE_MS = 2000;

/** A build that ran to its end in a Pod that no fault hit. */
const ranUndisturbed = (evidence: Evidence, build: RecordedBuild): boolean =>
  isProven(build) && !wasHit(evidence, build, build.attempt);

const buildsWithService = (evidence: Evidence): RecordedBuild[] =>
  evidence.database.builds.filter(
    (build) => jobSpecOf(build).withService === true && ranUndisturbed(evidence, build),
  );

const runsOf = ({ history }: Evidence, build: RecordedBuild): StepExecution[] =>
  history.runs.filter((run) => buildKey(run) === buildKey(build) && attemptOfPod(run.pod) === build.attempt);

/** How often a hook runs in a build that ran to its end. */
const expectedRuns = (event: HookEvent, { status }: RecordedBuild): number => {
  if (event === 'ensure') return 1;
  return (event === 'on_success') === (status === 'succeeded') ? 1 : 0;
};

/** Judges only builds that no fault hit: a fault may end the container in which a hook would have run. */
export const hooksRunOnce: Rule = (evidence) =>
  checkEach(
    'a build that ran to its end ran ensure once, and the hook of its outcome and no other',
    evidence.database.builds.filter(
      (build) => jobSpecOf(build).hooks !== undefined && ranUndisturbed(evidence, build),
    ),
    (build) => {
      const runs = runsOf(evidence, build);
      const { hooks = {} } = jobSpecOf(build);
      for (const event of HOOK_EVENTS) {
        const name = hooks[event]?.name;
        const count = runs.filter(({ step }) => step === name).length;
        const expected = name === undefined ? 0 : expectedRuns(event, build);
        if (count !== expected)
          return buildViolation(build, `is ${build.status} and ran ${event} ${count} times, not ${expected}`);
      }
      return undefined;
    },
  );

/** Compares the times at which the scripts reported their start. */
export const hooksRunLast: Rule = (evidence) =>
  checkEach(
    'hooks of a job run after its steps, and ensure after the others',
    evidence.database.builds.filter((build) => jobSpecOf(build).hooks !== undefined),
    (build) => {
      const { hooks = {} } = jobSpecOf(build);
      const names = Object.values(hooks).map(({ name }) => name);
      const order = ({ step }: StepExecution): number => {
        if (step === hooks.ensure?.name) return 2;
        return names.includes(step) ? 1 : 0;
      };
      const inOrder = runsOf(evidence, build).toSorted((a, b) => a.at - b.at);
      const early = inOrder.find((run, index) =>
        inOrder.slice(index + 1).some((later) => order(later) < order(run)),
      );
      return early && buildViolation(build, `ran ${early.step} before a step that must run earlier`);
    },
  );

/** A service reports before the first step, and no later than `LATE_MS` after the end of the build. */
export const servicesLiveWithBuilds: Rule = (evidence) =>
  checkEach(
    'a service runs before the first step, and is gone when its build ends',
    buildsWithService(evidence),
    (build) => {
      const life = evidence.history.services?.find(({ pod }) => isPodOf(pod, build, build.attempt));
      if (life === undefined) return buildViolation(build, 'ran without its service');
      const first = Math.min(...runsOf(evidence, build).map(({ at }) => at));
      if (life.from > first)
        return buildViolation(build, `began its first step ${life.from - first} ms before its service`);
      const late = life.to - (build.endedAt ?? Infinity);
      return late > LATE_MS
        ? buildViolation(build, `had ended when its service still ran, ${late} ms later`)
        : undefined;
    },
  );

/**
 * Judges only builds that no fault hit: others may send a notification twice or never, if their Pod was lost.
 */
export const notificationsAreSent: Rule = (evidence) =>
  checkEach(
    'one notification of the end of a build is sent, with its status',
    buildsWithService(evidence),
    (build) => {
      const sent = (evidence.history.notifications ?? []).filter(({ pod }) =>
        isPodOf(pod, build, build.attempt),
      );
      if (sent.length !== 1) return buildViolation(build, `was notified ${sent.length} times`);
      const [{ status } = { status: '' }] = sent;
      return status === build.status
        ? undefined
        : buildViolation(build, `is ${build.status}, but the notification said ${status}`);
    },
  );
