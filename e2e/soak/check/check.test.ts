import { describe, expect, test } from '@jest/globals';
import { buildKey } from '#e2e/soak/history.ts';
import { checkEvidence } from './check.ts';
import { brokenInvariants, cleanRun, findBuild, removeFirst, START } from './clean-run.ts';
import { type Evidence } from './evidence.ts';
import { PLANTED_CACHES } from './planted-caches.ts';
import { PLANTED_HOOKS_AND_SERVICES } from './planted-hooks-and-services.ts';

test('a clean run checks every invariant and violates none', () => {
  const findings = checkEvidence(cleanRun());
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
});

type Plant = (evidence: Evidence) => void;

const CUT = '\n[The agent ended before it could send the rest of this log.]\n';

/** Replaces the last line of a succeeded build's log. */
const cutLog = (evidence: Evidence, replacement: string): void => {
  const { id } = findBuild(evidence, 'manual/work #1');
  const last = evidence.database.logs.findLast((row) => row.build === id);
  const shownBuild = evidence.shown.find((candidate) => candidate.job === 'work' && candidate.number === '1');
  if (last === undefined || shownBuild === undefined) throw new Error('The run has no such log.');
  shownBuild.log = shownBuild.log.replace(last.text, replacement);
  last.text = replacement;
};

const recordKill = ({ history }: Evidence, pod: string): void => {
  history.faults.push({ name: 'kill an agent', target: pod, pod, from: START });
};

const PLANTED: Record<string, [invariant: string, plant: Plant]> = {
  ...PLANTED_HOOKS_AND_SERVICES,
  ...PLANTED_CACHES,
  'an acknowledged trigger without a build': [
    'an acknowledged trigger has exactly one build',
    ({ history, database }) => {
      history.triggers.push({
        pipeline: 'manual',
        job: 'work',
        number: '3',
        answer: 'created',
        sentAt: START,
      });
      database.triggers.push({ id: 900, pipeline: 'manual', job: 'work', build: null, refused: false });
    },
  ],
  'two builds of one request': [
    'no job has more builds by hand than requests',
    (evidence) => {
      findBuild(evidence, 'manual/work #2').cause = findBuild(evidence, 'manual/work #1').cause;
    },
  ],
  'a build that nobody requested': [
    'no job has more builds by hand than requests',
    ({ history }) => removeFirst(history.triggers, ({ number }) => number === '2'),
  ],
  'a refusal without a reason': [
    'a trigger of a job without inputs is never refused',
    ({ history }) =>
      history.triggers.push({
        pipeline: 'manual',
        job: 'work',
        sentAt: START,
        answer: 'refused',
        problem: '409',
      }),
  ],
  'a gap in the numbers': [
    'numbers of builds are 1, 2, 3 … in each job',
    (evidence) => {
      findBuild(evidence, 'manual/work #2').number = '3';
    },
  ],
  'a number that two builds have': [
    'numbers of builds are 1, 2, 3 … in each job',
    (evidence) => {
      findBuild(evidence, 'manual/work #2').number = '1';
    },
  ],
  'a version that no check recorded': [
    'every version is recorded once and in order',
    ({ history }) => history.published.push({ at: START, resource: 'counter.slow', n: 2 }),
  ],
  'a version recorded twice': [
    'every version is recorded once and in order',
    ({ database }) =>
      database.versions.push({
        id: 901,
        pipeline: 'minutely',
        resource: 'counter.slow',
        n: '1',
        foundAt: START,
        build: null,
      }),
  ],
  'a version without a build': [
    'a version starts exactly one build, none if found during a pause',
    (evidence) => {
      findBuild(evidence, 'minutely/each #1').cause = { kind: 'version', version: 0 };
    },
  ],
  'a version with two builds': [
    'a version starts exactly one build, none if found during a pause',
    (evidence) => {
      findBuild(evidence, 'chain/first #2').cause = findBuild(evidence, 'chain/first #1').cause;
    },
  ],
  'a version that was found during a pause and triggers later': [
    'a version starts exactly one build, none if found during a pause',
    (evidence) => {
      const [pause] = evidence.history.pauses;
      const version = evidence.database.versions.find(
        ({ id }) => id === findBuild(evidence, 'pausable/only #1').cause.version,
      );
      if (version !== undefined) version.foundAt = (pause?.acknowledged ?? 0) + 1;
    },
  ],
  'a build during a pause': [
    'no build is created while a pause is acknowledged',
    (evidence) => {
      findBuild(evidence, 'pausable/only #1').createdAt = (evidence.history.pauses[0]?.acknowledged ?? 0) + 1;
    },
  ],
  'a build of a job with passed whose version did not pass': [
    'a job with passed builds only versions that passed, each once, never an older one',
    (evidence) => {
      Object.assign(findBuild(evidence, 'chain/first #2'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'a build of a job with passed that takes an older version': [
    'a job with passed builds only versions that passed, each once, never an older one',
    (evidence) => {
      const { inputs } = evidence.database;
      const [first, second] = [1, 2].map((number) => findBuild(evidence, `chain/second #${number}`).id);
      const versionOfFirst = inputs.find((input) => input.build === first)?.version ?? 0;
      for (const input of inputs) if (input.build === second) input.version = versionOfFirst;
    },
  ],
  'a last version that does not reach the end of its chain': [
    'the last version reaches the end of its chain',
    (evidence) => {
      Object.assign(findBuild(evidence, 'chain/third #2'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'a build that never ends': [
    'every build ends',
    (evidence) => {
      Object.assign(findBuild(evidence, 'manual/work #1'), { status: 'started', endedAt: null });
    },
  ],
  'an outcome that changes while it is watched': [
    'an outcome never changes, and no build vanishes',
    (evidence) => {
      const succeeded = findBuild(evidence, 'manual/work #1');
      evidence.history.sightings.splice(1, 0, { ...succeeded, at: START, status: 'failed' });
    },
  ],
  'an outcome that changes while nobody watches': [
    'an outcome never changes, and no build vanishes',
    (evidence) => {
      findBuild(evidence, 'manual/work #1').status = 'failed';
    },
  ],
  'a build that vanishes': [
    'an outcome never changes, and no build vanishes',
    ({ database }) => removeFirst(database.builds, (build) => buildKey(build) === 'slow/count #1'),
  ],
  'a job that fails on purpose and succeeds': [
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    (evidence) => {
      Object.assign(findBuild(evidence, 'failing/broken #1'), {
        status: 'succeeded',
        reason: 'AllStepsSucceeded',
      });
    },
  ],
  'a job that cannot fail and fails': [
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    (evidence) => {
      Object.assign(findBuild(evidence, 'manual/work #1'), { status: 'failed', reason: 'StepFailed' });
    },
  ],
  'a superseded build of a job without passed': [
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    (evidence) => {
      Object.assign(findBuild(evidence, 'manual/work #1'), { status: 'cancelled', reason: 'Superseded' });
    },
  ],
  'a superseded build that had begun': [
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    (evidence) => {
      Object.assign(findBuild(evidence, 'chain/second #1'), { status: 'cancelled', reason: 'Superseded' });
    },
  ],
  'a build that failed although it could have been repeated': [
    'a job that fails on purpose never succeeds; a build of another job succeeds, or Millrace may not repeat it',
    (evidence) => {
      Object.assign(findBuild(evidence, 'manual/work #1'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'an attempt that is lost without a fault': [
    'only a fault aimed at its Pod costs a build an attempt',
    ({ history }) => history.faults.splice(0),
  ],
  'a build that is lost without a fault': [
    'only a fault aimed at its Pod costs a build an attempt',
    (evidence) => {
      Object.assign(findBuild(evidence, 'chain/third #1'), { status: 'failed', reason: 'AgentFault' });
    },
  ],
  'two live Pods of a build': [
    'a build has at most one live Pod',
    ({ history }) => {
      const [first, second] = history.pods.filter(({ name }) => name.startsWith('slow-count-1-'));
      if (first !== undefined && second !== undefined) first.to = second.from + 1;
    },
  ],
  'a step that runs twice in an attempt': [
    'no step of an attempt runs twice',
    ({ history }) => {
      const [run] = history.runs;
      if (run !== undefined) history.runs.push({ ...run, run: 'another' });
    },
  ],
  'a succeeded build with a step that never ran': [
    'a green build ran each of its steps',
    ({ history }) => removeFirst(history.runs, ({ step }) => step === 'after'),
  ],
  'a put that is repeated': [
    'a put runs once at most, over all attempts',
    ({ history }) => {
      const put = history.runs.find(({ step }) => step === 'deliver');
      if (put !== undefined) history.runs.push({ ...put, run: 'another', pod: 'chain-third-1-2-0a1b2' });
    },
  ],
  'a put whose version is not recorded': [
    'a green put recorded its version',
    ({ database }) => removeFirst(database.versions, ({ resource }) => resource === 'ledger.book'),
  ],
  'a line that is missing in the middle': [
    'a log is complete, in order, each line once',
    ({ database }) => removeFirst(database.logs, ({ text }) => text === 'count line 7\n'),
  ],
  'a line that is missing at the end': [
    'a log is complete, in order, each line once',
    ({ database }) => removeFirst(database.logs, ({ text }) => text === 'say ended\n'),
  ],
  'a line that is in the log twice': [
    'a log is complete, in order, each line once',
    ({ database }) => {
      const index = database.logs.findIndex(({ text }) => text === 'count line 7\n');
      database.logs.splice(index, 0, ...database.logs.slice(index, index + 1));
    },
  ],
  'a log of another run of the step': [
    'a log is complete, in order, each line once',
    ({ database }) => {
      const row = database.logs.find(({ text }) => text.startsWith('say began'));
      if (row !== undefined) row.text = 'say began by-somebody-else\n';
    },
  ],
  'a log that ends with its agent and does not say so': [
    'a log is complete, in order, each line once',
    (evidence) => {
      cutLog(evidence, '');
      recordKill(evidence, 'manual-work-1-1-0a1b2');
    },
  ],
  'a log that says that it is cut although no fault hit its Pod': [
    'a log is complete, in order, each line once',
    (evidence) => {
      cutLog(evidence, CUT);
      recordKill(evidence, 'manual-work-2-1-0a1b2');
    },
  ],
  'a log that is gone': [
    'a log is complete, in order, each line once',
    (evidence) => {
      const { id } = findBuild(evidence, 'manual/work #1');
      evidence.database.logs = evidence.database.logs.filter((row) => row.build !== id);
    },
  ],
  'a log of which the API shows only a part': [
    'the API shows the recorded log',
    ({ shown }) => {
      const build = shown.find(({ job }) => job === 'work');
      if (build !== undefined) build.log = build.log.replace('say line 2\n', '');
    },
  ],
  'a build that the API shows with another status': [
    'the API lists what the database holds',
    ({ shown }) => Object.assign(shown[0] ?? {}, { status: 'started' }),
  ],
  'a build that the API does not list': [
    'the API lists what the database holds',
    ({ shown }) => shown.splice(0, 1),
  ],
  'a revision without a change': [
    'a pipeline has no more revisions than texts, and the last text',
    ({ database }) => Object.assign(database.pipelines[0] ?? {}, { revision: 2 }),
  ],
  'an old text that stays in effect': [
    'a pipeline has no more revisions than texts, and the last text',
    ({ database }) =>
      Object.assign(database.pipelines.find(({ name }) => name === 'chain') ?? {}, {
        revision: 2,
        text: 'edition 2',
      }),
  ],
  'a foreign Pod that somebody other than its creator deleted': [
    'no Pod of another tenant is believed or deleted',
    ({ history }) => Object.assign(history.foreign?.[0] ?? {}, { survived: false }),
  ],
  'a build that was given a foreign Pod': [
    'no Pod of another tenant is believed or deleted',
    ({ database }) => Object.assign(database.attempts[0] ?? {}, { podUid: 'uid-succeeded' }),
  ],
  'a version that a foreign Pod forged': [
    'no Pod of another tenant is believed or deleted',
    ({ database }) =>
      Object.assign(database.versions.find(({ resource }) => resource === 'ledger.book') ?? {}, {
        n: 'forged',
      }),
  ],
  'an attempt that is lost because of a foreign Pod': [
    'only a fault aimed at its Pod costs a build an attempt',
    ({ history }) =>
      history.faults.splice(0, Infinity, {
        name: 'forge lost Pods of builds',
        target: '3 foreign Pods',
        from: START,
      }),
  ],
  'a Pod that is left': ['nothing is left to do and no Pod remains', ({ leftPods }) => leftPods.push('x')],
  'a check run that is left open': [
    'nothing is left to do and no Pod remains',
    ({ database }) => Object.assign(database, { openRuns: 1 }),
  ],
  'a job that waits forever': [
    'nothing is left to do and no Pod remains',
    ({ database }) => database.waitingJobs.push('chain/first'),
  ],
};

describe('the checker finds', () => {
  test.each(Object.entries(PLANTED))('%s', (_, [invariant, plant]) => {
    const evidence = cleanRun();
    plant(evidence);
    expect(brokenInvariants(evidence)).toContain(invariant);
  });

  test('a planted violation of every invariant', () => {
    const planted = new Set(Object.values(PLANTED).map(([invariant]) => invariant));
    expect(checkEvidence(cleanRun()).map(({ invariant }) => invariant)).toEqual(
      expect.arrayContaining([...planted]),
    );
    expect(checkEvidence(cleanRun()).filter(({ invariant }) => !planted.has(invariant))).toEqual([]);
  });
});
