import { buildKey, type PodLife, type StepExecution } from '#e2e/soak/history.ts';
import { allStepsOf, expectedLines, isStepLine, stepsThatRun, type StepSpec } from '#e2e/soak/pipelines.ts';
import type { RecordedBuild, LogRow } from '#e2e/soak/read-database.ts';
import {
  attemptOfPod,
  buildViolation,
  checkEach,
  groupBy,
  isProven,
  jobSpecOf,
  wasHit,
  type Evidence,
  type Rule,
  type Violation,
} from './evidence.ts';

/** By the reports of the scripts, no Pod runs a step twice. */
export const stepsRunOnce: Rule = ({ history }) =>
  checkEach(
    'no step of an attempt runs twice',
    [...groupBy(history.runs, ({ pod, step }) => `${pod} ${step}`)],
    ([key, runs]): Violation | undefined =>
      runs.length === 1 ? undefined : { subject: key, what: `ran ${runs.length} times`, ...atOf(runs[1]) },
  );

const atOf = (run: StepExecution | undefined): { at?: number } => (run === undefined ? {} : { at: run.at });

/** A put has external effects, so it never runs twice. */
export const putsRunOnce: Rule = ({ history }) => {
  const puts = history.runs.filter((run) =>
    jobSpecOf(run).steps.some(({ name, kind }) => name === run.step && kind === 'put'),
  );
  return checkEach(
    'a put runs once at most, over all attempts',
    [...groupBy(puts, buildKey)],
    ([key, runs]) =>
      runs.length === 1
        ? undefined
        : {
            subject: key,
            what: `put ${runs.length} times: ${runs.map(({ pod }) => pod).join(', ')}`,
            ...atOf(runs[1]),
          },
  );
};

/** A succeeded build ran, in its last attempt, every step and hook that runs if all goes well. */
export const greenBuildsRan: Rule = ({ history, database }) => {
  const runs = groupBy(history.runs, (run) => `${buildKey(run)} ${attemptOfPod(run.pod)} ${run.step}`);
  return checkEach(
    'a green build ran each of its steps',
    database.builds.filter(({ status }) => status === 'succeeded'),
    (build) => {
      const missing = stepsThatRun(jobSpecOf(build), true).filter(
        ({ name }) => !runs.has(`${buildKey(build)} ${build.attempt} ${name}`),
      );
      if (missing.length === 0) return undefined;
      return buildViolation(build, `is green, but never ran ${missing.map(({ name }) => name).join(', ')}`);
    },
  );
};

/** Two Pods of one build were never seen alive at the same time. */
export const podsLiveAlone: Rule = ({ history }) =>
  checkEach(
    'a build has at most one live Pod',
    [...groupBy(history.pods, ({ build }) => String(build)).values()],
    (lives): Violation | undefined => {
      const pair = lives
        .flatMap((one, index) => lives.slice(index + 1).map((other): [PodLife, PodLife] => [one, other]))
        .find(([one, other]) => Math.max(one.from, other.from) <= Math.min(one.to, other.to));
      if (pair === undefined) return undefined;
      const names = pair.map(({ name, uid }) => `${name} (${uid})`).join(' and ');
      return { subject: `build row ${pair[0].build}`, what: `${names} lived together`, at: pair[1].from };
    },
  );

/** The line that ends a log whose agent ended before it sent the rest. */
const CUT = 'The agent ended before it could send the rest of this log.';

/**
 * The last attempt of a build that provably ran to its end has its whole log, every other attempt the
 * beginning of it. If a fault hit the Pod of the last attempt and the log says that it is cut, the beginning
 * is enough there too: the agent then reported the end only by the termination message.
 */
export const logsAreWhole: Rule = (evidence) => {
  const attempts = [
    ...groupBy(evidence.database.logs, ({ build, attempt }) => `${build} ${attempt}`).values(),
  ];
  const result = checkEach('a log is complete, in order, each line once', attempts, (rows) =>
    judgeLog(evidence, rows),
  );
  const logged = new Set(evidence.database.logs.map(({ build, attempt }) => `${build} ${attempt}`));
  const silent = evidence.database.builds.filter(
    (build) => isProven(build) && !logged.has(`${build.id} ${build.attempt}`),
  );
  return {
    ...result,
    violations: [...result.violations, ...silent.map((build) => buildViolation(build, 'has no log at all'))],
  };
};

/**
 * The steps of a build in groups. The lines of a group must be in the order of its steps. In a job with lanes
 * or hooks each step is a group: lines of lanes mix, and hooks run even after a step that ended early.
 */
const sequencesOf = (build: RecordedBuild): StepSpec[][] => {
  const spec = jobSpecOf(build);
  if (spec.lanes === undefined && spec.hooks === undefined) return [spec.steps];
  return allStepsOf(spec).map((step) => [step]);
};

const judgeLog = (evidence: Evidence, rows: LogRow[]): Violation | undefined => {
  const { history, database } = evidence;
  const [{ build: id, attempt } = { build: 0, attempt: 0 }] = rows;
  const build = database.builds.find((candidate) => candidate.id === id);
  if (build === undefined)
    return { subject: `build row ${id}`, what: 'has a log, but there is no such build' };
  const text = rows.map((row) => row.text).join('');
  const isCut = wasHit(evidence, build, attempt) && text.includes(CUT);
  const hasWholeLog = isProven(build) && attempt === build.attempt && !isCut;
  const ran = new Set(stepsThatRun(jobSpecOf(build), build.status === 'succeeded').map(({ name }) => name));
  for (const steps of sequencesOf(build)) {
    const written = text.split('\n').filter((line) => steps.some(({ name }) => line.startsWith(`${name} `)));
    const expected = steps.flatMap((step) =>
      expectedLines(step, runIdOf(history.runs, { build, attempt, step: step.name })),
    );
    const isWhole = hasWholeLog && steps.every(({ name }) => ran.has(name));
    const wrong = firstDifference(written, { expected, isWhole });
    if (wrong !== undefined) return buildViolation(build, `attempt ${attempt}, ${wrong}`);
  }
  return undefined;
};

/** The first difference from the expected lines. A whole log has all of them; any other log may end early. */
const firstDifference = (
  written: readonly string[],
  { expected, isWhole }: { expected: readonly string[]; isWhole: boolean },
): string | undefined => {
  const lines = isWhole ? expected : expected.slice(0, written.length);
  const wrong = lines.findIndex((line, index) => written[index] !== line);
  if (wrong < 0 && written.length <= expected.length) return undefined;
  const index = wrong < 0 ? expected.length : wrong;
  return `line ${index + 1} of ${expected.length}: expected ${quote(expected[index])}, found ${quote(written[index])}`;
};

const quote = (line: string | undefined): string => (line === undefined ? 'nothing' : `“${line}”`);

const runIdOf = (
  runs: readonly StepExecution[],
  { build, attempt, step }: { build: RecordedBuild; attempt: number; step: string },
): string =>
  runs.find(
    (run) => buildKey(run) === buildKey(build) && attemptOfPod(run.pod) === attempt && run.step === step,
  )?.run ?? 'never';

/** The API's log of a build joins the logs of all attempts, with lines of Millrace between them. */
export const shownLogsAreRecorded: Rule = ({ database, shown }) =>
  checkEach('the API shows the recorded log', shown, ({ log, ...name }) => {
    const build = database.builds.find((candidate) => buildKey(candidate) === buildKey(name));
    const recorded = [...groupBy(database.logs, ({ attempt }) => String(attempt)).values()]
      .flatMap((rows) =>
        rows
          .filter((row) => row.build === build?.id)
          .map(({ text }) => text)
          .join(''),
      )
      .join('\n');
    const [shownLines, recordedLines] = [log, recorded].map((text) =>
      text.split('\n').filter((line) => isStepLine(line, jobSpecOf(name))),
    );
    if (shownLines?.join('\n') === recordedLines?.join('\n')) return undefined;
    return {
      subject: buildKey(name),
      what: `${shownLines?.length} lines are shown, ${recordedLines?.length} recorded`,
    };
  });
