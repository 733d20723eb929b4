import { buildKey, type PodLife, type StepRun } from '#e2e/soak/history.ts';
import { isOurLine, linesOf } from '#e2e/soak/pipelines.ts';
import type { BuildRow, LogRow } from '#e2e/soak/truth.ts';
import {
  attemptOfPod,
  each,
  groupBy,
  isPodOf,
  ofBuild,
  specOf,
  type Evidence,
  type Rule,
  type Violation,
} from './evidence.ts';

/** I4, by what the Pods' own scripts told: an attempt is one Pod, whose steps run once. */
export const stepsRunOnce: Rule = ({ history }) =>
  each(
    'no step of an attempt runs twice',
    [...groupBy(history.runs, ({ pod, step }) => `${pod} ${step}`)],
    ([key, runs]): Violation | undefined =>
      runs.length === 1 ? undefined : { subject: key, what: `ran ${runs.length} times`, ...atOf(runs[1]) },
  );

const atOf = (run: StepRun | undefined): { at?: number } => (run === undefined ? {} : { at: run.at });

/** A put has effects outside: it is not repeated, whatever happens. */
export const putsRunOnce: Rule = ({ history }) => {
  const puts = history.runs.filter((run) =>
    specOf(run).steps.some(({ name, kind }) => name === run.step && kind === 'put'),
  );
  return each('a put runs once at most, over all attempts', [...groupBy(puts, buildKey)], ([key, runs]) =>
    runs.length === 1
      ? undefined
      : {
          subject: key,
          what: `put ${runs.length} times: ${runs.map(({ pod }) => pod).join(', ')}`,
          ...atOf(runs[1]),
        },
  );
};

/** A green build ran every step, in its last attempt. */
export const greenBuildsRan: Rule = ({ history, database }) => {
  const runs = groupBy(history.runs, (run) => `${buildKey(run)} ${attemptOfPod(run.pod)} ${run.step}`);
  return each(
    'a green build ran each of its steps',
    database.builds.filter(({ status }) => status === 'succeeded'),
    (build) => {
      const missing = specOf(build).steps.filter(
        ({ name }) => !runs.has(`${buildKey(build)} ${build.attempt} ${name}`),
      );
      if (missing.length === 0) return undefined;
      return ofBuild(build, `is green, but nobody ran ${missing.map(({ name }) => name).join(', ')}`);
    },
  );
};

/** Two Pods of one build never live at the same time. */
export const podsLiveAlone: Rule = ({ history }) =>
  each(
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

/** What the log says where its end went with its agent. */
const CUT = 'The agent ended before it could send the rest of this log.';

/**
 * What is proven to have run to its end has its whole log; what was cut off has a beginning of it. So has a
 * build that ended by its agent's last words, if something was done to that very Pod, and only if the log
 * says so.
 */
export const logsAreWhole: Rule = (evidence) => {
  const attempts = [
    ...groupBy(evidence.database.logs, ({ build, attempt }) => `${build} ${attempt}`).values(),
  ];
  const finding = each('a log is complete, in order, each line once', attempts, (rows) =>
    judgeLog(evidence, rows),
  );
  const logged = new Set(evidence.database.logs.map(({ build, attempt }) => `${build} ${attempt}`));
  const silent = evidence.database.builds.filter(
    (build) => isProven(build) && !logged.has(`${build.id} ${build.attempt}`),
  );
  return {
    ...finding,
    violations: [...finding.violations, ...silent.map((build) => ofBuild(build, 'has no log at all'))],
  };
};

const isProven = ({ status, reason }: BuildRow): boolean => status === 'succeeded' || reason === 'StepFailed';

const judgeLog = ({ history, database }: Evidence, rows: LogRow[]): Violation | undefined => {
  const [{ build: id, attempt } = { build: 0, attempt: 0 }] = rows;
  const build = database.builds.find((candidate) => candidate.id === id);
  if (build === undefined) return { subject: `build row ${id}`, what: 'has a log and is no build' };
  const spec = specOf(build);
  const text = rows.map((row) => row.text).join('');
  const written = text.split('\n').filter((line) => isOurLine(line, spec));
  const expected = spec.steps.flatMap((step) =>
    linesOf(step, runOf(history.runs, { build, attempt, step: step.name })),
  );
  const hit = history.faults.some(({ pod }) => pod !== undefined && isPodOf(pod, build, attempt));
  const whole = isProven(build) && attempt === build.attempt && !(hit && text.includes(CUT));
  const wanted = whole ? expected : expected.slice(0, written.length);
  const wrong = wanted.findIndex((line, index) => written[index] !== line);
  if (wrong < 0 && written.length <= expected.length) return undefined;
  const place = wrong < 0 ? expected.length : wrong;
  const what = `attempt ${attempt}, line ${place + 1} of ${expected.length}: expected ${quote(expected[place])}, found ${quote(written[place])}`;
  return ofBuild(build, what);
};

const quote = (line: string | undefined): string => (line === undefined ? 'nothing' : `“${line}”`);

const runOf = (
  runs: readonly StepRun[],
  { build, attempt, step }: { build: BuildRow; attempt: number; step: string },
): string =>
  runs.find(
    (run) => buildKey(run) === buildKey(build) && attemptOfPod(run.pod) === attempt && run.step === step,
  )?.run ?? 'never';

/**
 * What the API shows as the log of a build is that of all its attempts, with words of its own between them.
 */
export const shownLogsAreRecorded: Rule = ({ database, shown }) =>
  each('the API shows the recorded log', shown, ({ log, ...name }) => {
    const build = database.builds.find((candidate) => buildKey(candidate) === buildKey(name));
    const recorded = [...groupBy(database.logs, ({ attempt }) => String(attempt)).values()]
      .flatMap((rows) =>
        rows
          .filter((row) => row.build === build?.id)
          .map(({ text }) => text)
          .join(''),
      )
      .join('\n');
    const [is, should] = [log, recorded].map((text) =>
      text.split('\n').filter((line) => isOurLine(line, specOf(name))),
    );
    if (is?.join('\n') === should?.join('\n')) return undefined;
    return { subject: buildKey(name), what: `${is?.length} lines are shown, ${should?.length} recorded` };
  });
