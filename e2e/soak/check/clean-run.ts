import { buildKey, emptyHistory, type StepExecution } from '#e2e/soak/history.ts';
import { CACHED_FILES, expectedLines, stepsThatRun } from '#e2e/soak/pipelines.ts';
import type { RecordedBuild, LogRow } from '#e2e/soak/read-database.ts';
import { checkEvidence } from './check.ts';
import { jobSpecOf, type Evidence } from './evidence.ts';

export const START = 1_800_000_000_000;

/** Builds the evidence of a clean run step by step: every rule is tried and none is broken. */
class CleanRun {
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

  /** Advances the clock by ten seconds and returns the new time. */
  tick(): number {
    return (this.#now += 10_000);
  }

  addRevisions(pipeline: string, revisions: number): void {
    for (let revision = 1; revision <= revisions; revision++) {
      this.evidence.history.applied.push({
        at: this.tick(),
        pipeline,
        text: `text of revision ${revision}`,
        changed: true,
      });
    }
    this.evidence.database.pipelines.push({
      name: pipeline,
      revision: revisions,
      paused: false,
      text: `text of revision ${revisions}`,
    });
  }

  publishVersion(pipeline: string, resource: string): number {
    const { history, database } = this.evidence;
    const n = history.published.filter((version) => version.resource === resource).length + 1;
    const id = (this.#id += 1);
    history.published.push({ at: this.tick(), resource, n });
    database.versions.push({ id, pipeline, resource, n: String(n), foundAt: this.tick(), build: null });
    return id;
  }

  addBuild(job: string, cause: RecordedBuild['cause'], lostPods = 0): RecordedBuild {
    const { history, database } = this.evidence;
    const [pipeline = '', name = ''] = job.split('/');
    const spec = jobSpecOf({ pipeline, job: name });
    const number = String(
      database.builds.filter((build) => build.pipeline === pipeline && build.job === name).length + 1,
    );
    const build: RecordedBuild = {
      id: (this.#id += 1),
      pipeline,
      job: name,
      number,
      status: spec.fails === true ? 'failed' : 'succeeded',
      attempt: lostPods + 1,
      cause,
      reason: spec.fails === true ? 'StepFailed' : 'AllStepsSucceeded',
      message: '',
      createdAt: this.tick(),
      endedAt: null,
    };
    history.sightings.push({ ...build, at: this.tick(), status: 'pending', attempt: 1 });
    for (let attempt = 1; attempt <= build.attempt; attempt++) this.#addAttempt(build, attempt);
    build.endedAt = this.tick();
    history.sightings.push({ ...build, at: this.tick() });
    database.builds.push(build);
    const log = database.logs.filter((row) => row.build === build.id).map(({ text }) => text);
    this.evidence.shown.push({ ...build, log: log.join('--- another attempt ---\n') });
    if (cause.version !== undefined) {
      const resource = spec.trigger?.resource ?? '';
      database.inputs.push({ build: build.id, resource, version: cause.version });
    }
    return build;
  }

  /** Records an attempt. Each attempt but the last loses its Pod after two lines. */
  #addAttempt(build: RecordedBuild, attempt: number): void {
    const { history, database } = this.evidence;
    const { id, pipeline, job, number } = build;
    const isLast = attempt === build.attempt;
    const name = `${pipeline}-${job}-${number}-${attempt}-0a1b2`;
    const createdAt = this.tick();
    const pod = { uid: `uid-${id}-${attempt}`, name, build: id, attempt };
    const spec = jobSpecOf(build);
    const serviceLifetime = { pipeline, job, number, pod: name, from: this.tick(), to: this.#now };
    if (spec.withService === true) history.services?.push(serviceLifetime);
    const steps = isLast ? stepsThatRun(spec, build.status === 'succeeded') : spec.steps.slice(0, 1);
    const lines = steps.flatMap((step) => {
      const run: StepExecution = {
        at: this.tick(),
        pipeline,
        job,
        number,
        pod: name,
        step: step.name,
        run: `run-${id}-${attempt}-${step.name}`,
        restored: step.cached === true ? this.#stored(build) : '',
      };
      history.runs.push(run);
      const status = isLast ? 'succeeded' : 'started';
      database.steps.push({ build: id, attempt, kind: step.kind ?? 'task', name: step.name, status });
      return expectedLines(step, run.run);
    });
    const text = lines.slice(0, isLast ? undefined : 2).map((line) => `${line}\n`);
    const rows: LogRow[] = text.map((line, index) => ({
      build: id,
      attempt,
      sequence: index + 2,
      text: line,
    }));
    database.logs.push(...rows);
    if (spec.withService === true && isLast)
      history.notifications?.push({
        pipeline,
        job,
        number,
        at: this.tick(),
        pod: name,
        status: build.status,
      });
    serviceLifetime.to = this.tick();
    history.pods.push({ ...pod, from: createdAt, to: this.tick() });
    const reason = isLast ? null : 'PodLost: The Pod is gone.';
    if (!isLast)
      history.faults.push({ name: 'delete a build’s Pod', target: name, pod: name, from: this.tick() });
    database.attempts.push({
      build: id,
      attempt,
      createdAt,
      endedAt: this.tick(),
      podUid: pod.uid,
      reason,
    });
  }

  /** What the newest green build of the job saved in the cache. */
  #stored({ pipeline, job }: RecordedBuild): string {
    const { history, database } = this.evidence;
    const cached = jobSpecOf({ pipeline, job }).steps.find((step) => step.cached === true);
    const green = database.builds.findLast(
      (build) => build.pipeline === pipeline && build.job === job && build.status === 'succeeded',
    );
    if (green === undefined) return '';
    const writer = history.runs.findLast(
      (run) => buildKey(run) === buildKey(green) && run.step === cached?.name,
    );
    return `.${CACHED_FILES}.${writer?.run ?? 'nobody'}_`;
  }

  addTrigger(job: string, lostPods = 0): void {
    const request = (this.#id += 1);
    const { pipeline, job: name, number, id } = this.addBuild(job, { kind: 'manual', request }, lostPods);
    this.evidence.history.triggers.push({
      pipeline,
      job: name,
      number,
      answer: 'created',
      sentAt: this.tick(),
    });
    this.evidence.database.triggers.push({ id: request, pipeline, job: name, build: id, refused: false });
  }

  addChain(): void {
    const version = this.publishVersion('chain', 'counter.tick');
    this.addBuild('chain/first', { kind: 'version', version });
    this.addBuild('chain/second', { kind: 'passed', version });
    const { id } = this.addBuild('chain/third', { kind: 'passed', version });
    const n = this.evidence.database.versions.find(({ id: known }) => known === version)?.n ?? '';
    this.evidence.database.versions.push({
      id: (this.#id += 1),
      pipeline: 'chain',
      resource: 'ledger.book',
      n,
      foundAt: this.tick(),
      build: id,
    });
  }

  /** Records Pods of a hostile tenant that nobody else touched. Whether the last one survived is unknown. */
  addForeignPods(): void {
    const created = { namespace: 'evil', at: this.tick() };
    for (const name of ['lost', 'succeeded'])
      this.evidence.history.foreign?.push({ ...created, name, uid: `uid-${name}`, survived: true });
    this.evidence.history.foreign?.push({ ...created, name: 'failed', uid: 'uid-failed' });
  }

  addPause(): void {
    const pause = { pipeline: 'pausable', sent: this.tick(), acknowledged: this.tick() };
    this.publishVersion('pausable', 'counter.held');
    this.evidence.history.pauses.push({ ...pause, resumeSent: this.tick(), resumed: this.tick() });
    const version = this.publishVersion('pausable', 'counter.held');
    this.addBuild('pausable/only', { kind: 'version', version });
  }
}

export const cleanRun = (): Evidence => {
  const run = new CleanRun();
  for (const pipeline of ['manual', 'slow', 'image', 'failing', 'chain', 'minutely', 'pausable', 'services'])
    run.addRevisions(pipeline, pipeline === 'chain' ? 3 : 1);
  run.addTrigger('manual/work');
  run.addTrigger('manual/work');
  run.addTrigger('slow/count', 1);
  run.addTrigger('failing/broken');
  run.addTrigger('image/boxed');
  run.addTrigger('services/whole', 1);
  run.addTrigger('services/whole');
  run.addTrigger('services/torn');
  run.addChain();
  run.addChain();
  run.addPause();
  run.addBuild('minutely/each', {
    kind: 'version',
    version: run.publishVersion('minutely', 'counter.slow'),
  });
  run.addForeignPods();
  return run.evidence;
};

export const findBuild = ({ database }: Evidence, key: string): RecordedBuild => {
  const found = database.builds.find((build) => buildKey(build) === key);
  if (found === undefined) throw new Error(`no build ${key}`);
  return found;
};

export const brokenInvariants = (evidence: Evidence): string[] =>
  checkEvidence(evidence)
    .filter(({ violations }) => violations.length > 0)
    .map(({ invariant }) => invariant);

export const removeFirst = <T>(from: T[], matches: (item: T) => boolean): void => {
  const index = from.findIndex(matches);
  if (index < 0) throw new Error('there is nothing to remove');
  from.splice(index, 1);
};
