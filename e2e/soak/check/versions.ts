import { defined } from '#defined';
import { buildKey, type Pause } from '#e2e/soak/history.ts';
import { JOBS, RESOURCE_OF_PIPELINE, type JobSpec } from '#e2e/soak/pipelines.ts';
import type { RecordedBuild, DatabaseContents, VersionRow } from '#e2e/soak/read-database.ts';
import { buildViolation, checkEach, groupBy, type Evidence, type Rule, type Violation } from './evidence.ts';

const countedVersions = ({ versions }: DatabaseContents): VersionRow[] =>
  versions.filter(({ resource }) =>
    Object.values(RESOURCE_OF_PIPELINE).some((known) => known.resource === resource),
  );

const buildsOf = ({ builds }: DatabaseContents, { pipeline, job }: JobSpec): RecordedBuild[] =>
  builds.filter((build) => build.pipeline === pipeline && build.job === job);

/** Every published version is recorded once and in order. */
export const versionsAreFound: Rule = ({ history, database }) =>
  checkEach(
    'every version is recorded once and in order',
    Object.values(RESOURCE_OF_PIPELINE),
    ({ resource }): Violation | undefined => {
      const published = history.published.filter((version) => version.resource === resource);
      const recorded = countedVersions(database)
        .filter((version) => version.resource === resource)
        .toSorted((a, b) => a.id - b.id);
      const wrong = published.find(({ n }, index) => recorded[index]?.n !== String(n));
      if (wrong === undefined && recorded.length === published.length) return undefined;
      const what = `${published.length} were published; recorded: ${recorded.map(({ n }) => n).join(' ')}`;
      return { subject: resource, what, ...defined({ at: wrong?.at }) };
    },
  );

/** A job without `passed` has one build for each version, unless a pause forbids it. */
export const versionsTriggerOnce: Rule = ({ history, database }) => {
  const pairs = JOBS.filter(({ trigger }) => trigger !== undefined && trigger.passed === undefined).flatMap(
    (job) =>
      countedVersions(database)
        .filter(({ pipeline }) => pipeline === job.pipeline)
        .map((version) => ({ job, version })),
  );
  return checkEach(
    'a version starts exactly one build, none if found during a pause',
    pairs,
    ({ job, version }) => {
      const builds = buildsOf(database, job).filter(({ cause }) => cause.version === version.id);
      const pauses = history.pauses.filter(({ pipeline }) => pipeline === job.pipeline);
      const [least, most] = expectedBuilds(version, pauses);
      if (builds.length >= least && builds.length <= most) return undefined;
      const what =
        `started ${builds.length} builds of ${job.job} ` +
        `(${least === most ? least : `${least} or ${most}`} expected)`;
      return { subject: `${version.resource} ${version.n}`, what, at: version.foundAt };
    },
  );
};

/**
 * The minimum and the maximum number of builds of a version. Between the request to pause and its first
 * confirmation, a version may count as found before or during the pause; the same holds for resuming.
 */
const expectedBuilds = ({ foundAt }: VersionRow, pauses: readonly Pause[]): [number, number] => {
  const pause = pauses.find(({ sent, resumed = Infinity }) => foundAt >= sent && foundAt <= resumed);
  if (pause === undefined) return [1, 1];
  const { acknowledged = Infinity, resumeSent = Infinity } = pause;
  return foundAt > acknowledged && foundAt < resumeSent ? [0, 0] : [0, 1];
};

/** From the confirmation of a pause until somebody resumes, no build is created. */
export const pausesHold: Rule = ({ history, database }) =>
  checkEach(
    'no build is created while a pause is acknowledged',
    history.pauses,
    (pause): Violation | undefined => {
      const { acknowledged = Infinity, resumeSent = Infinity } = pause;
      const build = database.builds.find(
        ({ pipeline, createdAt }) =>
          pipeline === pause.pipeline && createdAt > acknowledged && createdAt < resumeSent,
      );
      return build === undefined ? undefined : buildViolation(build, 'was created during a pause');
    },
  );

const versionOf = (database: DatabaseContents, build: RecordedBuild): VersionRow | undefined => {
  const input = database.inputs.find((candidate) => candidate.build === build.id);
  return database.versions.find(({ id }) => id === input?.version);
};

/** A job with `passed` takes only versions that passed, in ascending order, each once. */
export const passedIsRespected: Rule = ({ database }) => {
  const buildsWithPassed = JOBS.flatMap((job) =>
    buildsOf(database, job).map((build) => ({ job, build })),
  ).filter(({ job }) => job.trigger?.passed !== undefined);
  return checkEach(
    'a job with passed builds only versions that passed, each once, never an older one',
    buildsWithPassed,
    ({ job, build }) => {
      const version = versionOf(database, build);
      const upstream = JOBS.find(
        ({ pipeline, job: name }) => pipeline === job.pipeline && name === job.trigger?.passed,
      );
      const good = (upstream === undefined ? [] : buildsOf(database, upstream)).some(
        (candidate) =>
          candidate.status === 'succeeded' &&
          versionOf(database, candidate)?.id === version?.id &&
          (candidate.endedAt ?? Infinity) <= build.createdAt + 2000,
      );
      if (version === undefined || !good)
        return buildViolation(build, `took version ${version?.n}, which had not passed`);
      const earlier = buildsOf(database, job).filter(({ id }) => id < build.id);
      const newest = Math.max(0, ...earlier.map((other) => versionOf(database, other)?.id ?? 0));
      return version.id > newest
        ? undefined
        : buildViolation(build, `took version ${version.n} after a newer or the same one`);
    },
  );
};

/** The last version, which is published after the last fault, reaches the last job of its chain. */
export const lastArrives: Rule = ({ history, database }) => {
  const ends = JOBS.filter(
    ({ pipeline, job, trigger }) =>
      trigger !== undefined &&
      !JOBS.some((other) => other.pipeline === pipeline && other.trigger?.passed === job),
  );
  return checkEach('the last version reaches the end of its chain', ends, (job) => {
    const last = history.published.findLast(({ resource }) => resource === job.trigger?.resource);
    const arrived = buildsOf(database, job).some(
      (build) => build.status === 'succeeded' && versionOf(database, build)?.n === String(last?.n),
    );
    if (arrived || last === undefined) return undefined;
    return { subject: `${last.resource} ${last.n}`, what: `has no green build of ${job.job}`, at: last.at };
  });
};

/**
 * The put of a build that succeeded made exactly one version, with the same `n` as the version that the build
 * took.
 */
export const putsAreRecorded: Rule = (evidence: Evidence) => {
  const { database } = evidence;
  const made = groupBy(
    database.versions.filter(({ build }) => build !== null),
    ({ build }) => String(build),
  );
  const putting = JOBS.filter(({ steps }) => steps.some(({ kind }) => kind === 'put'));
  const builds = putting
    .flatMap((job) => buildsOf(database, job))
    .filter(({ status }) => status === 'succeeded');
  return checkEach('a green put recorded its version', builds, (build) => {
    const taken = versionOf(database, build);
    const versions = made.get(String(build.id)) ?? [];
    if (versions.length === 1 && versions[0]?.n === taken?.n) return undefined;
    return buildViolation(
      build,
      `${buildKey(build)} put ${versions.map(({ n }) => n).join(' ') || 'nothing'}, not ${taken?.n}`,
    );
  });
};
