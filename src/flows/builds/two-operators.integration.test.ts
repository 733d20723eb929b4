import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EpochOver } from '#adapters/database/connection/fence.ts';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { runHooks } from '#flows/checks/run-hooks.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { Crash, TestProcess } from '#testing/flows/crashing-process.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, stateOn } from '#testing/stores/schedule.ts';
import { eventsOf, openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';
import { compareWithPods } from './compare-with-pods.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';

const APP = { team: 'main', pipeline: 'app' };
const CRASHES = 500;
/** The test runs until there are at least this many: how many come between two crashes varies by machine. */
const VERSIONS = 60;
let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());

class Chance {
  crashes = 0;
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** The next random number, at least 0 and below 1. The algorithm is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  crash(): boolean {
    if (this.crashes >= CRASHES || this.next() > 0.06) return false;
    this.crashes += 1;
    return true;
  }
}

/** How far the clock of the comparison with Pods is ahead, so that a missing Pod counts as lost at once. */
const AHEAD_MS = 15_000;

/**
 * Runs one operator process after another. Each takes the lead and works until it dies or another process
 * leads. Then the next process starts.
 */
async function operate(cluster: InMemoryCluster, chance: Chance, stop: AbortSignal): Promise<void> {
  const pool = await openPool(stores.url, { maximumConnections: 3 });
  while (!stop.aborted) {
    const testProcess = new TestProcess(() => chance.crash());
    const epoch = await stores.leaders.takeEpoch('one of two');
    const ownStores = storesOver({ pool, epoch: () => epoch });
    const ports = {
      builds: testProcess.of(ownStores.builds),
      checks: testProcess.of(ownStores.checks, ['cronNext']),
      caches: testProcess.of(ownStores.caches),
      warmPods: testProcess.of(ownStores.warmPods),
      notifications: new RecordedNotifications(),
      cluster: testProcess.of(cluster, [
        'teamPods',
        'nodeLabel',
        'runningPods',
        'nodes',
        'startsPerNode',
        'sharing',
      ]),
      now: () => new Date(),
      pods: () => [...cluster.pods.values()],
    };
    const comparePorts = {
      ...ports,
      now: () => new Date(Date.now() + AHEAD_MS),
      foreign: new RecordedForeignPods(),
      reportHangingAgent: () => undefined,
      seenStart: () => ({}),
    };
    const failures: unknown[] = [];
    try {
      while (!stop.aborted && !testProcess.dead && failures.length === 0) {
        failures.push(...(await startChecks(ports)).failures.map(({ error }) => error));
        failures.push(...(await scheduleJobs(ports)).failures.map(({ error }) => error));
        failures.push(...(await runHooks(ports)).failures.map(({ error }) => error));
        failures.push(...(await startBuilds(ports)).failures.map(({ error }) => error));
        failures.push(...(await compareWithPods(comparePorts)).failures);
        await sleep(1);
      }
    } catch (error) {
      failures.push(error);
    }
    const unexpected = failures.filter((error) => !(error instanceof Crash) && !(error instanceof EpochOver));
    if (unexpected.length > 0) throw unexpected[0];
  }
  await pool.end();
}

/** Runs each Pod once, as soon as it exists. Now and then, deletes a Pod before its agent begins. */
async function runPods(cluster: InMemoryCluster, chance: Chance, stop: AbortSignal): Promise<void> {
  const done = new Set<string>();
  while (!stop.aborted) {
    for (const [name, pod] of cluster.pods) {
      if (done.has(pod.uid)) continue;
      done.add(pod.uid);
      if (pod.work.kind === 'build' && chance.next() < 0.05) cluster.pods.delete(name);
      else await runPod(cluster, pod);
    }
    await sleep(1);
  }
}

/** Attempts whose steps began, in this order. */
const begun: string[] = [];

/**
 * Does what the agent of a Pod would do. If an operator created a second Pod for an attempt because it did
 * not know of the first, the agent of the second Pod gets no session and does nothing.
 */
async function runPod(cluster: InMemoryCluster, { name, uid, work }: PodFacts): Promise<void> {
  if (work.kind === 'build') {
    const { build, attempt } = work;
    const session = { kind: 'build', build, attempt } as const;
    const opened = await stores.sessions.openSession(session, `key of ${uid}`, uid, new Date());
    if (opened !== 'opened') return;
    begun.push(`${build} ${attempt}`);
    const state = await stateOn(stores, build, attempt);
    const events = eventsOf(state?.steps.map(({ id }) => id) ?? [], new Date().toISOString());
    await followOn(stores, build, attempt, events);
  } else if (work.kind === 'checks' && work.run !== undefined) await answerChecks(work.run);
  if (cluster.pods.get(name)?.uid !== uid) return;
  const agent = { name: 'agent', image: 'millrace', state: 'terminated', exitCode: 0 } as const;
  cluster.change(name, { phase: 'Succeeded', containers: [agent] });
}

const counts = { commits: 0 };

/** Every check finds one new commit. Some hooks never report. */
async function answerChecks(run: number): Promise<void> {
  const facts = await stores.checks.runFacts(run);
  if (facts?.hooks !== undefined) {
    if (run % 4 > 0) await stores.checks.recordHooks(run, { results: [] }, new Date());
    return;
  }
  for (const { scope } of facts?.checks ?? []) {
    counts.commits += 1;
    const versions = [{ ref: String(counts.commits) }];
    await stores.checks.recordCheck({ run, scope, versions, log: '' }, new Date());
  }
  await stores.checks.closeRun(run, new Date());
}

const JOBS: Job[] = [
  {
    ...job('unit', get('git.app'), task('test')),
    concurrency: 2,
    onTrigger: [{ kind: 'command', run: { runner: 'shell', cmd: 'tell' } }],
  },
  { ...job('lint', get('git.app'), task('lint')), serialGroups: ['machine'] },
  {
    ...job('publish', get('git.app', { passed: ['unit', 'lint'] }), task('push')),
    serialGroups: ['machine'],
  },
];

interface BuildRow {
  job: string;
  status: string;
  reason: string | null;
  versions: number[];
  kind: string;
}

async function readBuilds(): Promise<readonly BuildRow[]> {
  return await stores.pool.any(rows<BuildRow>()`
    SELECT j.name AS job, b.status, b.reason, b.cause ->> 'kind' AS kind, to_jsonb(ARRAY(
      SELECT version_id FROM build_inputs i WHERE i.build_id = b.id ORDER BY i.position)) AS versions
    FROM builds b JOIN jobs j ON j.id = b.job_id ORDER BY b.id`);
}

/** One query, because the state may change between two queries. */
async function isQuiet(): Promise<boolean> {
  return await stores.pool.oneFirst(rows<{ quiet: boolean }>()`
    SELECT NOT EXISTS (SELECT 1 FROM builds WHERE ended_at IS NULL) AND NOT EXISTS (SELECT 1
      FROM check_runs WHERE closed_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE schedule_requested > last_scheduled)
      AND NOT EXISTS (SELECT 1 FROM check_scopes WHERE requested_at IS NOT NULL) AS quiet`);
}

test('two operators at once, killed 500 times at any call, lose no build and create none twice', async () => {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: JOBS })));
  const chance = new Chance(4711);
  const cluster = new InMemoryCluster();
  const stop = new AbortController();
  const processes = [
    operate(cluster, chance, stop.signal),
    operate(cluster, chance, stop.signal),
    runPods(cluster, chance, stop.signal),
  ];
  const allStopped = Promise.all(processes);
  const workDone = (async () => {
    while (chance.crashes < CRASHES || counts.commits < VERSIONS) {
      await stores.checks.requestCheck({ ...APP, resource: 'git.app' }, 'webhook', new Date());
      await sleep(20);
    }
    // No process crashes any more, so the remaining work gets done.
    while (!(await isQuiet()) || cluster.pods.size > 0) await sleep(50);
  })();
  await Promise.race([workDone, allStopped]);
  stop.abort();
  await allStopped;

  const allBuilds = await readBuilds();
  const versions = await stores.pool.anyFirst(rows<{ id: number }>()`SELECT id FROM versions ORDER BY id`);
  const takenBy = (name: string) =>
    allBuilds.filter((build) => build.job === name).map((build) => build.versions[0] ?? 0);
  expect(chance.crashes).toBe(CRASHES);
  expect(versions.length).toBeGreaterThanOrEqual(VERSIONS);
  expect(takenBy('unit').toSorted((a, b) => a - b)).toEqual(versions);
  expect(takenBy('lint').toSorted((a, b) => a - b)).toEqual(versions);
  expect(new Set(takenBy('publish')).size).toBe(takenBy('publish').length);
  expect(Math.max(...takenBy('publish'))).toBe(versions.at(-1));
  // A build of `publish` that had not started may be superseded by a newer one.
  const ended = allBuilds.filter((build) => build.job !== 'publish' || build.reason !== 'Superseded');
  expect(ended.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  expect(new Set(begun).size).toBe(begun.length);
  expect(begun.length).toBeGreaterThanOrEqual(ended.length);
  expect([...cluster.pods.keys()]).toEqual([]);
}, 600_000);
