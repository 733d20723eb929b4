import { buildKey, jobKey, type StepExecution } from '#e2e/soak/history.ts';
import { CACHED_FILES } from '#e2e/soak/pipelines.ts';
import { attemptOfPod, checkEach, wasHit, type Evidence, type Rule, type Violation } from './evidence.ts';

/**
 * A step finds in its cache all files that one earlier execution of a step of this job wrote, or none. The
 * build of that execution is green, unless a fault hit its Pod: such a build may have saved the cache before
 * the fault.
 */
export const cachesAreWhole: Rule = (evidence) =>
  checkEach(
    'a cache gives back all files that one green build of its job saved',
    evidence.history.runs.filter(({ restored = '' }) => restored !== ''),
    (run) => {
      const why = whyNotWhole(evidence, run);
      return why === undefined ? undefined : violation(run, why);
    },
  );

const violation = (run: StepExecution, what: string): Violation => ({
  subject: buildKey(run),
  what,
  at: run.at,
});

const whyNotWhole = (evidence: Evidence, run: StepExecution): string | undefined => {
  const { restored = '' } = run;
  const [, count, writer] = /^\.(\d+)\.([^._]+)_$/.exec(restored) ?? [];
  if (Number(count) !== CACHED_FILES)
    return `found ${restored} in its cache, not ${CACHED_FILES} files of one run`;
  const saved = evidence.history.runs.find((other) => other.run === writer);
  if (saved === undefined || jobKey(saved) !== jobKey(run))
    return `found files of ${writer}, no run of its job`;
  const build = evidence.database.builds.find((candidate) => buildKey(candidate) === buildKey(saved));
  const attempt = attemptOfPod(saved.pod);
  if (build === undefined) return `found files of ${buildKey(saved)}, which is not recorded`;
  const green = build.status === 'succeeded' && build.attempt === attempt;
  return green || wasHit(evidence, build, attempt)
    ? undefined
    : `found files of ${buildKey(saved)}, which is ${build.status}`;
};
