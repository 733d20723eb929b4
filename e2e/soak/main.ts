import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterPart, isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { exclusively } from '#tools/cluster/exclusive.ts';
import { messageOf } from '#tools/cluster/explain.ts';
import { partNames } from '#tools/cluster/parts.ts';
import { checkEvidence } from './check/check.ts';
import type { BuildInApi, Evidence } from './check/evidence.ts';
import { waitForInterference } from './containers.ts';
import { copyLogs, countWarnings } from './copy-logs.ts';
import { CounterServer } from './counter-server.ts';
import { FAULTS } from './faults.ts';
import { emptyHistory, type SoakHistory } from './history.ts';
import { LoadGenerator } from './load.ts';
import { buildsInApi, Observer } from './observe.ts';
import { JOBS, PIPELINES, pipelineText } from './pipelines.ts';
import { planFaults } from './plan-faults.ts';
import { readDatabase, readLogs } from './read-database.ts';
import { report } from './report.ts';
import { runFaults, sleepUnless } from './run-faults.ts';
import { SeededRandom } from './seeded-random.ts';
import { readSettings, type Settings } from './settings.ts';
import { createTenant, hostileTeam } from './tenant.ts';
import { waitForBuilds, waitUntilIdle } from './wait-until-idle.ts';

const WORKLOADS = [
  'deployment/millrace-operator',
  'deployment/millrace-gateway-public',
  'deployment/millrace-gateway-internal',
  'statefulset/millrace-postgres',
];
const PROGRESS_EVERY_MS = 30_000;

const settings = readSettings(process.argv, process.env);
const stop = new AbortController();
let failure: string | undefined;
const team = teamName('soak');
const history = emptyHistory(settings.seed, settings.minutes, Date.now());
const folder = join(tmpdir(), `millrace-${team}-seed-${settings.seed}`);

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    console.log(`${name}: undoing faults`);
    stop.abort();
  });
}

// Faults must be undone even if the run itself fails.
process.on('uncaughtException', (error) => {
  failure = `The soak run itself failed: ${messageOf(error)}`;
  console.error(error);
  stop.abort();
});

const clock = (): string => {
  const seconds = Math.floor((Date.now() - history.started) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
const print = (line: string): void => console.log(`${clock().padStart(6)}  ${line}`);

const waitForWorkloads = async (): Promise<void> => {
  for (const workload of WORKLOADS)
    await eventually(
      () => kubectl('rollout', 'status', workload, '--namespace', RELEASE.namespace, '--timeout=30s'),
      120,
    );
};

const printProgress = async (observer: Observer, until: AbortSignal): Promise<void> => {
  while (!until.aborted) {
    await sleepUnless(PROGRESS_EVERY_MS, until);
    print(`${observer.seen} builds seen, ${observer.open} open; ${history.published.length} versions`);
  }
};

const readBuildsInApi = async (): Promise<BuildInApi[]> => {
  const shown: BuildInApi[] = [];
  for (const { pipeline, job } of JOBS)
    for (const { number, status, attempt } of await buildsInApi(team, { pipeline, job })) {
      const log = await eventually(() => pipelineApi(team, pipeline).log(job, number));
      shown.push({ pipeline, job, number, status, attempt, log });
    }
  return shown;
};

const collect = async (leftPods: string[]): Promise<Evidence> => {
  const shown = await eventually(readBuildsInApi);
  const database = { ...(await readDatabase(team)), logs: await readLogs(team) };
  return { history, database, shown, leftPods };
};

/** Runs load and faults together until the time is up. */
const runLoadAndFaults = async (load: LoadGenerator, { seed, minutes }: Settings): Promise<void> => {
  const plan = planFaults(FAULTS, new SeededRandom(seed), minutes * 60);
  const timeIsUp = new AbortController();
  const timeIsUpOrStopped = AbortSignal.any([stop.signal, timeIsUp.signal]);
  const loading = load.run(new SeededRandom(seed + 1_000_003), timeIsUpOrStopped);
  try {
    await runFaults(plan, { team, history, stop: stop.signal, print });
    await sleepUnless(history.started + minutes * 60_000 - Date.now(), stop.signal);
  } finally {
    timeIsUp.abort();
    await loading;
    history.faultsEnded = Date.now();
  }
};

/**
 * Requests the final builds, and waits until all work has ended, or for some minutes. Returns the Pods that
 * remain.
 */
const settle = async (load: LoadGenerator): Promise<string[]> => {
  print('no more faults: waiting for all builds to end');
  // All parts run already, unless undoing a fault failed.
  for (const part of partNames) await clusterPart('start', part);
  await waitForWorkloads();
  await load.requestFinalBuilds();
  if (!(await waitForBuilds(team, history))) print('not all builds ended in time');
  await load.stopChecks();
  const remainingPods = await waitUntilIdle(team);
  history.ended = Date.now();
  return remainingPods;
};

const saveEvidence = async (evidence: Evidence | { history: SoakHistory }): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'evidence.json'), JSON.stringify(evidence));
};

/** Aborts the run if somebody else restarts the cluster, because its result would prove nothing. */
const watchForInterference = async (until: AbortSignal): Promise<void> => {
  const part = await waitForInterference(() => sleepUnless(1000, until), until);
  if (part === undefined || until.aborted) return;
  failure = `Somebody else stopped ${part}: this run proves nothing.`;
  console.log(failure);
  stop.abort();
};

const judge = (evidence: Evidence): boolean => {
  const findings = checkEvidence(evidence);
  console.log(report(findings, evidence.history));
  return findings.every(({ violations }) => violations.length === 0);
};

const soak = async (counterServer: CounterServer): Promise<boolean> => {
  const done = new AbortController();
  const observer = new Observer(team, history);
  const address = await counterServer.open();
  await createTeam(team, { cache: { size: '16Mi' } });
  await createTenant(hostileTeam(team));
  for (const pipeline of PIPELINES) {
    const text = pipelineText(pipeline, address, { edition: 1 });
    history.applied.push({ at: Date.now(), pipeline, text, changed: true });
    await createPipeline(team, pipeline, text, pipeline === 'pausable' ? { paused: false } : {});
  }
  const load = new LoadGenerator({ team, address, history, counterServer, observer });
  history.started = Date.now();
  const background = Promise.all([
    observer.watch(done.signal),
    copyLogs(team, folder, done.signal),
    printProgress(observer, done.signal),
    watchForInterference(done.signal),
  ]);
  try {
    await runLoadAndFaults(load, settings);
    if (stop.signal.aborted) throw new Error(failure ?? 'stopped early');
    const evidence = await collect(await settle(load));
    await saveEvidence(evidence);
    console.log(
      ['', 'Warnings and errors in the logs', ...(await countWarnings(folder, history.started))].join('\n'),
    );
    return judge(evidence);
  } finally {
    done.abort();
    await background;
  }
};

const main = async (): Promise<boolean> => {
  if (!isEmbedded)
    throw new Error('Faults are inflicted from this machine: the soak run needs the embedded cluster.');
  const { seed, minutes, keep } = settings;
  console.log(`Soak run of ${minutes} minutes, SEED=${seed}; evidence and logs go to ${folder}`);
  await waitForWorkloads();
  const counterServer = new CounterServer(history);
  try {
    return await soak(counterServer);
  } catch (error) {
    await saveEvidence({ history });
    throw error;
  } finally {
    counterServer.close();
    if (keep) console.log(`KEEP is set: team ${team} is not deleted.`);
    else
      for (const name of [team, hostileTeam(team)])
        await deleteTeam(name).catch((error: unknown) => console.error(messageOf(error)));
  }
};

/** Judges the evidence of an earlier run with the current checker. */
const judgeEarlierRun = async (file: string): Promise<boolean> => {
  const evidence: Evidence = JSON.parse(await readFile(file, 'utf8'));
  return judge(evidence);
};

try {
  const passed =
    settings.again === undefined
      ? await exclusively('soak', 'Another soak run goes on; waiting for it.', main)
      : await judgeEarlierRun(settings.again);
  process.exitCode = passed && !stop.signal.aborted ? 0 : 1;
} catch (error) {
  console.error(`FAIL (SEED=${settings.seed} MINUTES=${settings.minutes}): ${messageOf(error)}`);
  process.exitCode = 1;
}
