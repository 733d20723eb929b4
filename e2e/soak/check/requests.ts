import { buildKey, jobKey } from '#e2e/soak/history.ts';
import { JOBS, PIPELINES } from '#e2e/soak/pipelines.ts';
import type { DatabaseContents, RecordedBuild } from '#e2e/soak/read-database.ts';
import {
  buildViolation,
  checkEach,
  groupBy,
  type Rule,
  type RuleResult,
  type Violation,
} from './evidence.ts';

/** Every trigger that the API acknowledged has exactly one build. */
export const triggersAreAnswered: Rule = ({ history, database }) =>
  checkEach(
    'an acknowledged trigger has exactly one build',
    history.triggers.filter(({ answer }) => answer === 'created'),
    (trigger) => {
      const name = { ...trigger, number: trigger.number ?? '' };
      const builds = database.builds.filter((build) => buildKey(build) === buildKey(name));
      const [build] = builds;
      const requests = database.triggers.filter((request) => request.build === build?.id);
      if (builds.length === 1 && build?.cause.kind === 'manual' && requests.length === 1) return undefined;
      const what = `acknowledged; ${builds.length} builds with cause ${build?.cause.kind}, ${requests.length} requests`;
      return { subject: buildKey(name), what, at: trigger.sentAt };
    },
  );

/** A job that people trigger has no more builds than requests, and no request has two builds. */
export const buildsHaveCauses: Rule = ({ history, database }) => {
  const jobs = JOBS.filter(({ byHand }) => byHand !== undefined);
  const result = checkEach(
    'no job has more builds by hand than requests',
    jobs,
    (job): Violation | undefined => {
      const requested = history.triggers.filter(
        (trigger) => jobKey(trigger) === jobKey(job) && trigger.answer !== 'refused',
      ).length;
      const created = database.builds.filter((build) => jobKey(build) === jobKey(job)).length;
      return created <= requested
        ? undefined
        : { subject: jobKey(job), what: `${requested} requested, ${created} created` };
    },
  );
  const requests = groupBy(
    database.builds.filter(({ cause }) => cause.kind === 'manual'),
    ({ cause }) => String(cause.request),
  );
  const repeated = [...requests.values()].flatMap((builds) =>
    builds.slice(1).map((build) => buildViolation(build, `answers the same request as ${builds[0]?.number}`)),
  );
  return { ...result, violations: [...result.violations, ...repeated] };
};

/** The API refuses triggers only for a reason, and these jobs give it none. */
export const nothingIsRefused: Rule = ({ history }) =>
  checkEach(
    'a trigger of a job without inputs is never refused',
    history.triggers.filter(({ answer }) => answer !== 'unknown'),
    (trigger) =>
      trigger.answer === 'refused'
        ? { subject: jobKey(trigger), what: `refused: ${trigger.problem}`, at: trigger.sentAt }
        : undefined,
  );

/** Numbers follow the order in which builds are created. */
export const numbersFollow: Rule = ({ database }) => {
  const jobs = [...groupBy(database.builds, jobKey).values()];
  return checkEach('numbers of builds are 1, 2, 3 … in each job', jobs, (builds) => {
    const byId = builds.toSorted((a, b) => a.id - b.id);
    const wrong = byId.find(({ number }, index) => number !== String(index + 1));
    return wrong === undefined
      ? undefined
      : buildViolation(wrong, `is build ${byId.indexOf(wrong) + 1} in the order of creation`);
  });
};

/** A pipeline has at most one revision for each change, and the last applied text is current. */
export const revisionsAreChanges: Rule = ({ history, database }): RuleResult =>
  checkEach('a pipeline has no more revisions than texts, and the last text', PIPELINES, (pipeline) => {
    const applied = history.applied.filter((text) => text.pipeline === pipeline);
    const changes = applied.filter(({ changed }) => changed).length;
    const row = database.pipelines.find(({ name }) => name === pipeline);
    const problem = revisionProblem(row, changes, applied.at(-1)?.text);
    return problem === undefined ? undefined : { subject: pipeline, what: problem };
  });

const revisionProblem = (
  row: DatabaseContents['pipelines'][number] | undefined,
  changes: number,
  lastText: string | undefined,
): string | undefined => {
  if (row === undefined) return 'is not in the database';
  if (row.revision > changes) return `${changes} texts, ${row.revision} revisions`;
  return row.text === lastText ? undefined : 'the text in effect is not the last one that was applied';
};

/** The API lists every build of the database and no other, with the same status and attempt. */
export const shownIsRecorded: Rule = ({ database, shown }) => {
  const recorded = new Map(database.builds.map((build) => [buildKey(build), build]));
  const result = checkEach('the API lists what the database holds', shown, (build) => {
    const row: RecordedBuild | undefined = recorded.get(buildKey(build));
    if (row?.status === build.status && row.attempt === build.attempt) return undefined;
    const what =
      `shown as ${build.status}, attempt ${build.attempt}; recorded as ${row?.status}, ` +
      `attempt ${row?.attempt}`;
    return { subject: buildKey(build), what };
  });
  const keys = new Set(shown.map(buildKey));
  const hidden = database.builds.filter((build) => !keys.has(buildKey(build)));
  return {
    ...result,
    violations: [
      ...result.violations,
      ...hidden.map((build) => buildViolation(build, 'is not listed by the API')),
    ],
  };
};
