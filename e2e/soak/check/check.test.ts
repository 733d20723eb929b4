import { describe, expect, test } from '@jest/globals';
import { buildKey, emptyHistory, type StepRun } from '#e2e/soak/history.ts';
import { linesOf } from '#e2e/soak/pipelines.ts';
import type { BuildRow, LogRow } from '#e2e/soak/truth.ts';
import { check } from './check.ts';
import { specOf, type Evidence } from './evidence.ts';

const START = 1_800_000_000_000;

/** A clean run, built up deed by deed: every promise is tried and kept. */
class Tale {
  readonly evidence: Evidence = {
    history: emptyHistory(1, 5, START),
    database: {
      builds: [],
      attempts: [],
      steps: [],
      versions: [],
      inputs: [],
      triggers: [],
      pipelines: [],
      openRuns: 0,
      waitingJobs: [],
      logs: [],
    },
    shown: [],
    leftPods: [],
  };
  #now = START;
  #id = 0;

  /** Ten seconds later. */
  get later(): number {
    return (this.#now += 10_000);
  }

  apply(pipeline: string, editions: number): void {
    for (let edition = 1; edition <= editions; edition++) {
      this.evidence.history.applied.push({
        at: this.later,
        pipeline,
        text: `edition ${edition}`,
        changed: true,
      });
    }
    this.evidence.database.pipelines.push({
      name: pipeline,
      revision: editions,
      paused: false,
      text: `edition ${editions}`,
    });
  }

  version(pipeline: string, resource: string): number {
    const { history, database } = this.evidence;
    const n = history.published.filter((one) => one.resource === resource).length + 1;
    const id = (this.#id += 1);
    history.published.push({ at: this.later, resource, n });
    database.versions.push({ id, pipeline, resource, n: String(n), foundAt: this.later, build: null });
    return id;
  }

  build(job: string, cause: BuildRow['cause'], lostPods = 0): BuildRow {
    const { history, database } = this.evidence;
    const [pipeline = '', name = ''] = job.split('/');
    const spec = specOf({ pipeline, job: name });
    const number = String(
      database.builds.filter((one) => one.pipeline === pipeline && one.job === name).length + 1,
    );
    const build: BuildRow = {
      id: (this.#id += 1),
      pipeline,
      job: name,
      number,
      status: spec.fails === true ? 'failed' : 'succeeded',
      attempt: lostPods + 1,
      cause,
      reason: spec.fails === true ? 'StepFailed' : 'AllStepsSucceeded',
      message: '',
      createdAt: this.later,
      endedAt: null,
    };
    history.sightings.push({ ...build, at: this.later, status: 'pending', attempt: 1 });
    for (let attempt = 1; attempt <= build.attempt; attempt++) this.#attempt(build, attempt);
    build.endedAt = this.later;
    history.sightings.push({ ...build, at: this.later });
    database.builds.push(build);
    const log = database.logs.filter((row) => row.build === build.id).map(({ text }) => text);
    this.evidence.shown.push({ ...build, log: log.join('--- another attempt ---\n') });
    if (cause.version !== undefined) {
      const resource = spec.trigger?.resource ?? '';
      database.inputs.push({ build: build.id, resource, version: cause.version });
    }
    return build;
  }

  /** All but the last one lose their Pod after two lines. */
  #attempt(build: BuildRow, attempt: number): void {
    const { history, database } = this.evidence;
    const { id, pipeline, job, number } = build;
    const last = attempt === build.attempt;
    const name = `${pipeline}-${job}-${number}-${attempt}-0a1b2`;
    const createdAt = this.later;
    const pod = { uid: `uid-${id}-${attempt}`, name, build: id, attempt };
    const steps = specOf(build).steps.slice(0, last ? undefined : 1);
    const lines = steps.flatMap((step) => {
      const run: StepRun = {
        at: this.later,
        pipeline,
        job,
        number,
        pod: name,
        step: step.name,
        run: `run-${id}-${attempt}-${step.name}`,
      };
      history.runs.push(run);
      const status = last ? 'succeeded' : 'started';
      database.steps.push({ build: id, attempt, kind: step.kind ?? 'task', name: step.name, status });
      return linesOf(step, run.run);
    });
    const text = lines.slice(0, last ? undefined : 2).map((line) => `${line}\n`);
    const rows: LogRow[] = text.map((line, index) => ({
      build: id,
      attempt,
      sequence: index + 2,
      text: line,
    }));
    database.logs.push(...rows);
    history.pods.push({ ...pod, from: createdAt, to: this.later });
    const reason = last ? null : 'PodLost: The Pod is gone.';
    if (!last)
      history.faults.push({ name: 'delete a build’s Pod', target: name, pod: name, from: this.later });
    database.attempts.push({
      build: id,
      attempt,
      createdAt,
      endedAt: this.later,
      podUid: pod.uid,
      reason,
    });
  }

  trigger(job: string, lostPods = 0): void {
    const request = (this.#id += 1);
    const { pipeline, job: name, number, id } = this.build(job, { kind: 'manual', request }, lostPods);
    this.evidence.history.triggers.push({
      pipeline,
      job: name,
      number,
      answer: 'created',
      sentAt: this.later,
    });
    this.evidence.database.triggers.push({ id: request, pipeline, job: name, build: id, refused: false });
  }

  chain(): void {
    const version = this.version('chain', 'counter.tick');
    this.build('chain/first', { kind: 'version', version });
    this.build('chain/second', { kind: 'passed', version });
    const { id } = this.build('chain/third', { kind: 'passed', version });
    const n = this.evidence.database.versions.find((one) => one.id === version)?.n ?? '';
    this.evidence.database.versions.push({
      id: (this.#id += 1),
      pipeline: 'chain',
      resource: 'ledger.book',
      n,
      foundAt: this.later,
      build: id,
    });
  }

  /**
   * A hostile tenant makes Pods that nobody but it touches; of the last one nobody could look what became.
   */
  tenant(): void {
    const made = { namespace: 'evil', at: this.later };
    for (const name of ['lost', 'succeeded'])
      this.evidence.history.foreign?.push({ ...made, name, uid: `uid-${name}`, kept: true });
    this.evidence.history.foreign?.push({ ...made, name: 'failed', uid: 'uid-failed' });
  }

  pause(): void {
    const pause = { pipeline: 'pausable', sent: this.later, acknowledged: this.later };
    this.version('pausable', 'counter.held');
    this.evidence.history.pauses.push({ ...pause, resumeSent: this.later, resumed: this.later });
    const version = this.version('pausable', 'counter.held');
    this.build('pausable/only', { kind: 'version', version });
  }
}

const clean = (): Evidence => {
  const tale = new Tale();
  for (const pipeline of ['manual', 'slow', 'image', 'failing', 'chain', 'minutely', 'pausable'])
    tale.apply(pipeline, pipeline === 'chain' ? 3 : 1);
  tale.trigger('manual/work');
  tale.trigger('manual/work');
  tale.trigger('slow/count', 1);
  tale.trigger('failing/broken');
  tale.trigger('image/boxed');
  tale.chain();
  tale.chain();
  tale.pause();
  tale.build('minutely/each', {
    kind: 'version',
    version: tale.version('minutely', 'counter.slow'),
  });
  tale.tenant();
  return tale.evidence;
};

const build = ({ database }: Evidence, key: string): BuildRow => {
  const found = database.builds.find((one) => buildKey(one) === key);
  if (found === undefined) throw new Error(`no build ${key}`);
  return found;
};

const broken = (evidence: Evidence): string[] =>
  check(evidence)
    .filter(({ violations }) => violations.length > 0)
    .map(({ promise }) => promise);

test('a clean run tries every promise and breaks none', () => {
  const findings = check(clean());
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
});

type Plant = (evidence: Evidence) => void;

const remove = <T>(from: T[], which: (one: T) => boolean): void => {
  const index = from.findIndex(which);
  if (index < 0) throw new Error('there is nothing to remove');
  from.splice(index, 1);
};

const CUT = '\n[The agent went before it could hand over the end of this log.]\n';

/** The last line of a green build is lost, and something is there instead of it. */
const cutLog = (evidence: Evidence, instead: string): void => {
  const { id } = build(evidence, 'manual/work #1');
  const last = evidence.database.logs.findLast((row) => row.build === id);
  const one = evidence.shown.find((candidate) => candidate.job === 'work' && candidate.number === '1');
  if (last === undefined || one === undefined) throw new Error('The tale has no such log.');
  one.log = one.log.replace(last.text, instead);
  last.text = instead;
};

const hit = ({ history }: Evidence, pod: string): void => {
  history.faults.push({ name: 'kill an agent', target: pod, pod, from: START });
};

const PLANTED: Record<string, [promise: string, plant: Plant]> = {
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
    'builds by hand are no more than were asked for',
    (evidence) => {
      build(evidence, 'manual/work #2').cause = build(evidence, 'manual/work #1').cause;
    },
  ],
  'a build that nobody asked for': [
    'builds by hand are no more than were asked for',
    ({ history }) => remove(history.triggers, ({ number }) => number === '2'),
  ],
  'a refusal without a reason': [
    'a trigger of a job without inputs is never refused',
    ({ history }) =>
      history.triggers.push({
        pipeline: 'manual',
        job: 'work',
        sentAt: START,
        answer: 'refused',
        said: '409',
      }),
  ],
  'a gap in the numbers': [
    'numbers of builds are 1, 2, 3 … in each job',
    (evidence) => {
      build(evidence, 'manual/work #2').number = '3';
    },
  ],
  'a number twice': [
    'numbers of builds are 1, 2, 3 … in each job',
    (evidence) => {
      build(evidence, 'manual/work #2').number = '1';
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
      build(evidence, 'minutely/each #1').cause = { kind: 'version', version: 0 };
    },
  ],
  'a version with two builds': [
    'a version starts exactly one build, none if found during a pause',
    (evidence) => {
      build(evidence, 'chain/first #2').cause = build(evidence, 'chain/first #1').cause;
    },
  ],
  'a version of a pause that triggers later': [
    'a version starts exactly one build, none if found during a pause',
    (evidence) => {
      const [pause] = evidence.history.pauses;
      const version = evidence.database.versions.find(
        ({ id }) => id === build(evidence, 'pausable/only #1').cause.version,
      );
      if (version !== undefined) version.foundAt = (pause?.acknowledged ?? 0) + 1;
    },
  ],
  'a build during a pause': [
    'no build is made while a pause is acknowledged',
    (evidence) => {
      build(evidence, 'pausable/only #1').createdAt = (evidence.history.pauses[0]?.acknowledged ?? 0) + 1;
    },
  ],
  'a gated build of what did not pass': [
    'a gated job builds only what passed, each version once, never an older one',
    (evidence) => {
      Object.assign(build(evidence, 'chain/first #2'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'a gated build of an older version': [
    'a gated job builds only what passed, each version once, never an older one',
    (evidence) => {
      const [one, two] = [1, 2].map((number) => build(evidence, `chain/second #${number}`).id);
      for (const input of evidence.database.inputs)
        if (input.build === two)
          input.version = evidence.database.inputs.find((other) => other.build === one)?.version ?? 0;
    },
  ],
  'a last version that stops on its way': [
    'the last version reaches the end of its chain',
    (evidence) => {
      Object.assign(build(evidence, 'chain/third #2'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'a build that never ends': [
    'every build ends',
    (evidence) => {
      Object.assign(build(evidence, 'manual/work #1'), { status: 'started', endedAt: null });
    },
  ],
  'an outcome that changes while it is watched': [
    'an outcome never changes, and no build vanishes',
    (evidence) => {
      const one = build(evidence, 'manual/work #1');
      evidence.history.sightings.splice(1, 0, { ...one, at: START, status: 'failed' });
    },
  ],
  'an outcome that changes unseen': [
    'an outcome never changes, and no build vanishes',
    (evidence) => {
      build(evidence, 'manual/work #1').status = 'failed';
    },
  ],
  'a build that vanishes': [
    'an outcome never changes, and no build vanishes',
    ({ database }) => remove(database.builds, (one) => buildKey(one) === 'slow/count #1'),
  ],
  'a job that fails on purpose and is green': [
    'a job that fails on purpose is never green; one that cannot fail is green or was not to be repeated',
    (evidence) => {
      Object.assign(build(evidence, 'failing/broken #1'), {
        status: 'succeeded',
        reason: 'AllStepsSucceeded',
      });
    },
  ],
  'a job that cannot fail and is red': [
    'a job that fails on purpose is never green; one that cannot fail is green or was not to be repeated',
    (evidence) => {
      Object.assign(build(evidence, 'manual/work #1'), { status: 'failed', reason: 'StepFailed' });
    },
  ],
  'a build of a job without a gate that gave way': [
    'a job that fails on purpose is never green; one that cannot fail is green or was not to be repeated',
    (evidence) => {
      Object.assign(build(evidence, 'manual/work #1'), { status: 'cancelled', reason: 'Superseded' });
    },
  ],
  'a build that gave way though it had begun': [
    'a job that fails on purpose is never green; one that cannot fail is green or was not to be repeated',
    (evidence) => {
      Object.assign(build(evidence, 'chain/second #1'), { status: 'cancelled', reason: 'Superseded' });
    },
  ],
  'a build given up that could have been repeated': [
    'a job that fails on purpose is never green; one that cannot fail is green or was not to be repeated',
    (evidence) => {
      Object.assign(build(evidence, 'manual/work #1'), { status: 'failed', reason: 'PodLost' });
    },
  ],
  'an attempt lost to nothing': [
    'only a fault aimed at its Pod costs a build an attempt',
    ({ history }) => history.faults.splice(0),
  ],
  'a build lost to nothing': [
    'only a fault aimed at its Pod costs a build an attempt',
    (evidence) => {
      Object.assign(build(evidence, 'chain/third #1'), { status: 'failed', reason: 'AgentFault' });
    },
  ],
  'two live Pods of a build': [
    'a build has at most one live Pod',
    ({ history }) => {
      const [one, two] = history.pods.filter(({ name }) => name.startsWith('slow-count-1-'));
      if (one !== undefined && two !== undefined) one.to = two.from + 1;
    },
  ],
  'a step that runs twice in an attempt': [
    'no step of an attempt runs twice',
    ({ history }) => {
      const [run] = history.runs;
      if (run !== undefined) history.runs.push({ ...run, run: 'another' });
    },
  ],
  'a green build of which a step was never run': [
    'a green build ran each of its steps',
    ({ history }) => remove(history.runs, ({ step }) => step === 'after'),
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
    ({ database }) => remove(database.versions, ({ resource }) => resource === 'ledger.book'),
  ],
  'a line that is missing in the middle': [
    'a log is complete, in order, each line once',
    ({ database }) => remove(database.logs, ({ text }) => text === 'count line 7\n'),
  ],
  'a line that is missing at the end': [
    'a log is complete, in order, each line once',
    ({ database }) => remove(database.logs, ({ text }) => text === 'say ended\n'),
  ],
  'a line that is there twice': [
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
      hit(evidence, 'manual-work-1-1-0a1b2');
    },
  ],
  'a log that says it is cut, of a Pod to which nothing was done': [
    'a log is complete, in order, each line once',
    (evidence) => {
      cutLog(evidence, CUT);
      hit(evidence, 'manual-work-2-1-0a1b2');
    },
  ],
  'a log that is gone': [
    'a log is complete, in order, each line once',
    (evidence) => {
      const { id } = build(evidence, 'manual/work #1');
      evidence.database.logs = evidence.database.logs.filter((row) => row.build !== id);
    },
  ],
  'a log that is shown in part': [
    'the API shows the recorded log',
    ({ shown }) => {
      const one = shown.find(({ job }) => job === 'work');
      if (one !== undefined) one.log = one.log.replace('say line 2\n', '');
    },
  ],
  'a build that is shown otherwise than it is': [
    'the API lists what the database holds',
    ({ shown }) => Object.assign(shown[0] ?? {}, { status: 'started' }),
  ],
  'a build that is not shown': ['the API lists what the database holds', ({ shown }) => shown.splice(0, 1)],
  'a revision without a change': [
    'a pipeline has no more revisions than texts, and the last text',
    ({ database }) => Object.assign(database.pipelines[0] ?? {}, { revision: 2 }),
  ],
  'an old text that goes on': [
    'a pipeline has no more revisions than texts, and the last text',
    ({ database }) =>
      Object.assign(database.pipelines.find(({ name }) => name === 'chain') ?? {}, {
        revision: 2,
        text: 'edition 2',
      }),
  ],
  'a foreign Pod that somebody else than its maker deleted': [
    'no Pod of another tenant is believed or deleted',
    ({ history }) => Object.assign(history.foreign?.[0] ?? {}, { kept: false }),
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
  'an attempt that a foreign Pod cost': [
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
  'a job that waits for ever': [
    'nothing is left to do and no Pod remains',
    ({ database }) => database.waitingJobs.push('chain/first'),
  ],
};

describe('the checker finds', () => {
  test.each(Object.entries(PLANTED))('%s', (_, [promise, plant]) => {
    const evidence = clean();
    plant(evidence);
    expect(broken(evidence)).toContain(promise);
  });

  test('a planted violation of every promise', () => {
    const planted = new Set(Object.values(PLANTED).map(([promise]) => promise));
    expect(check(clean()).map(({ promise }) => promise)).toEqual(expect.arrayContaining([...planted]));
    expect(check(clean()).filter(({ promise }) => !planted.has(promise))).toEqual([]);
  });
});

describe('the checker lets pass', () => {
  const LET: Record<string, Plant> = {
    'a build of which a put had begun when its Pod was lost': (evidence) => {
      const one = build(evidence, 'chain/third #1');
      Object.assign(one, { status: 'failed', reason: 'PodLost' });
      for (const seen of [...evidence.history.sightings, ...evidence.shown])
        if (buildKey(seen) === buildKey(one) && seen.status === 'succeeded') seen.status = 'failed';
      evidence.history.faults.push({
        name: 'delete a build’s Pod',
        target: '',
        from: one.createdAt + 20_000,
        pod: 'chain-third-1-1-0a1b2',
      });
    },
    'a log that ends with its agent, and says so': (evidence) => {
      cutLog(evidence, CUT);
      hit(evidence, 'manual-work-1-1-0a1b2');
    },
    'a trigger of which the answer was lost': ({ history }) => {
      history.triggers.push({ pipeline: 'manual', job: 'work', sentAt: START, answer: 'unknown' });
    },
    'a version that was found while a pause began': (evidence) => {
      const [pause] = evidence.history.pauses;
      for (const version of evidence.database.versions)
        if (version.resource === 'counter.held' && version.n === '1')
          version.foundAt = (pause?.sent ?? 0) + 1;
    },
  };

  test.each(Object.entries(LET))('%s', (_, plant) => {
    const evidence = clean();
    plant(evidence);
    expect(broken(evidence)).toEqual([]);
  });
});
