import { setTimeout as sleep } from 'node:timers/promises';
import { difference } from '#bench/api-writes.ts';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { clusterPart, isEmbedded } from '#e2e/support/embedded.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { deletePod, podSpecOf, runBarePod, type BareRun } from './bare-pod.ts';
import { measureBuild, type BuildRun } from './builds.ts';
import { measureChain } from './chain.ts';
import { apiWrites, call } from './cluster-client.ts';
import { measureForge } from './forge.ts';
import { measureBesideGreedyTeam } from './greedy.ts';
import { measureLongLog } from './long-log.ts';
import { printRow } from './print-row.ts';
import { measureRecovery } from './recovery.ts';
import { measureSteps } from './steps.ts';
import { compareThroughput } from './throughput.ts';
import { compareUserNamespaces } from './user-namespaces.ts';
import { measureWarm } from './warm.ts';

/*
 * Measures the figures of docs/benchmarks.md that need a cluster with real Pods. Where a part compares builds
 * with bare Pods, they alternate, so a noisy machine affects both: quote the ratios.
 */
const TEAM = teamName('bench');
const RUNS = Number(process.env['BENCH_RUNS'] ?? 20);

const task = (name: string, cmd: string): string => `
  task "${name}" {
    run "shell" {
      cmd = "${cmd}"
    }
  }`;

const CONFIG = `
resource_type "stamp" {
  check "shell" {
    cmd = "printf '[{\\"at\\":\\"%s\\"}]' \\"$(date +%s%N)\\""
  }
}
resource "stamp" "now" {}
job "one" {${task('time', 'date +%s%N')}
}
job "three" {${task('a', 'true')}${task('b', 'true')}${task('c', 'true')}
}
`;

const measureLatencies = async (): Promise<void> => {
  const first = await measureBuild(TEAM, 'bench', 'one');
  const spec = await podSpecOf(TEAM, first.pod);
  const oneStep: BuildRun[] = [];
  const threeSteps: BuildRun[] = [];
  const bare: BareRun[] = [];
  for (let round = 0; round < RUNS; round++) {
    oneStep.push(await measureBuild(TEAM, 'bench', 'one'));
    const run = await runBarePod(TEAM, spec, `bare-${process.pid}-${round}`);
    bare.push(run);
    await deletePod(TEAM, run.name);
    threeSteps.push(await measureBuild(TEAM, 'bench', 'three'));
    await sleep(500);
  }
  const builds = [...oneStep, ...threeSteps];
  const firstSteps = summarise(oneStep.map(({ firstProcess }) => firstProcess ?? Number.NaN));
  const reference = summarise(bare.map(({ runningMs }) => runningMs));
  printRow('trigger sent → answered', inMilliseconds(summarise(builds.map(({ answered }) => answered))));
  printRow(
    'trigger answered → Pod object',
    inMilliseconds(summarise(builds.map(({ podObject }) => podObject))),
    '≤ 7 ms',
  );
  printRow('bare Pod: create → Pod object', inMilliseconds(summarise(bare.map(({ objectMs }) => objectMs))));
  printRow('bare Pod: create → process of its last container', inMilliseconds(reference));
  printRow('trigger sent → first step’s process', inMilliseconds(firstSteps), '≤ 400 ms');
  printRow('  ratio to the bare Pod', (firstSteps.median / reference.median).toFixed(2), '≤ 1.15');
  printRow(
    'trigger sent → outcome recorded, 1 step',
    inMilliseconds(summarise(oneStep.map(({ outcome }) => outcome))),
    '≤ 500 ms',
  );
  printRow(
    'trigger sent → outcome recorded, 3 steps',
    inMilliseconds(summarise(threeSteps.map(({ outcome }) => outcome))),
    '≤ 500 ms',
  );
};

const measureWebhook = async (): Promise<void> => {
  const api = pipelineApi(TEAM, 'bench');
  const { webhook_token: token } = await api.resource('stamp.now');
  const samples: number[] = [];
  for (let round = 0; round < RUNS; round++) {
    const newest = (await api.versions('stamp.now'))[0]?.id ?? 0;
    const start = performance.now();
    await request('POST', `/webhooks/${token}`);
    while (((await api.versions('stamp.now'))[0]?.id ?? 0) <= newest) await sleep(5);
    samples.push(performance.now() - start);
    await sleep(1500);
  }
  printRow('webhook sent → version recorded (check in a Pod)', inMilliseconds(summarise(samples)));
};

const printChain = async (): Promise<void> => {
  const runs = await measureChain(TEAM, RUNS);
  const row = (pick: (run: (typeof runs)[number]) => number): string =>
    inMilliseconds(summarise(runs.map(pick)));
  printRow(
    'version recorded → Pod object of its build',
    row(({ versionToPod }) => versionToPod),
    '≤ 150 ms',
  );
  printRow(
    'upstream build ended → downstream build',
    row(({ endToBuild }) => endToBuild),
    '≤ 100 ms',
  );
  printRow(
    '  … → its Pod object',
    row(({ endToPod }) => endToPod),
  );
};

const total = (writes: Record<string, number>): number =>
  Object.values(writes).reduce((sum, count) => sum + count, 0);

const measureWritesPerBuild = async (): Promise<void> => {
  // Only the embedded cluster lets the benchmark stop the scheduler.
  if (!isEmbedded) return;
  const count = 20;
  const api = pipelineApi(TEAM, 'bench');
  // The deletion of Pods of earlier builds would count, so this waits until they are gone.
  while ((await list('pods', '--namespace', TEAM)).length > 0) await sleep(500);
  await clusterPart('stop', 'kube-scheduler');
  const before = await apiWrites();
  const numbers: string[] = [];
  for (let round = 0; round < count; round++) numbers.push(created(await api.trigger('three')).number);
  // No Pod is scheduled, so the start window lets the operator create only a few Pods at a time.
  while ((await list('pods', '--namespace', TEAM)).length < count) await sleep(500);
  const toPod = difference(before, await apiWrites());
  await clusterPart('start', 'kube-scheduler');
  printRow('API writes per build to the Pod object', (total(toPod) / count).toFixed(2), '1.0');
  console.log(`  ${JSON.stringify(toPod)}`);
  for (const number of numbers)
    while ((await api.build('three', number)).status !== 'succeeded') await sleep(200);
  await sleep(30_000);
  const whole = difference(before, await apiWrites());
  printRow('API writes per build to its Pod’s deletion, all writers', (total(whole) / count).toFixed(2));
  console.log(`  ${JSON.stringify(whole)}`);
};

const measureIdleMemory = async (): Promise<void> => {
  await sleep(20_000);
  for (const component of ['operator', 'gateway-public', 'gateway-internal']) {
    const pods = await list(
      'pods',
      '--namespace',
      RELEASE.namespace,
      '-l',
      `app.kubernetes.io/component=${component}`,
    );
    const megabytes: number[] = [];
    for (const { metadata } of pods) {
      const path = `/api/v1/namespaces/${RELEASE.namespace}/pods/${metadata.name}:9090/proxy/metrics`;
      const resident = /^process_resident_memory_bytes\S* (\S+)$/m.exec(await call('GET', path))?.[1];
      megabytes.push(Number(resident) / 1e6);
    }
    const aim = component === 'operator' ? '≤ 160 MB' : '≤ 130 MB';
    printRow(
      `idle memory, ${component} (each replica)`,
      `${megabytes.map((value) => value.toFixed(0)).join(', ')} MB`,
      aim,
    );
  }
};

/** Figures of an installation that has no other work. */
const measureAlone = async (): Promise<void> => {
  await measureIdleMemory();
  await measureLatencies();
  await measureWebhook();
  await printChain();
  await measureWritesPerBuild();
};

/** The job that several parts measure. */
const target = { team: TEAM, pipeline: 'bench', job: 'one' };
const PARTS: Record<string, () => Promise<void>> = {
  alone: measureAlone,
  steps: () => measureSteps(TEAM, RUNS, printRow),
  'long-log': () => measureLongLog(TEAM, Math.ceil(RUNS / 10), printRow),
  throughput: () => compareThroughput({ ...target, job: 'three' }, printRow),
  'user-namespaces': () => compareUserNamespaces(target, RUNS, printRow),
  recovery: () => measureRecovery(target, printRow),
  warm: () => measureWarm(RUNS, printRow),
  forge: () => measureForge(TEAM, RUNS, printRow),
  greedy: () => measureBesideGreedyTeam(target, RUNS, printRow),
};
// BENCH_ONLY names one part, or several with commas between them. Without it, all parts run.
const parts = process.env['BENCH_ONLY']?.split(',') ?? Object.keys(PARTS);
const unknown = parts.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0)
  throw new Error(`BENCH_ONLY is ${unknown.join(', ')}: use ${Object.keys(PARTS).join(', ')}.`);

await createTeam(TEAM);
await createPipeline(TEAM, 'bench', CONFIG);
try {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ` +
      `kubectl ${(await kubectl('version', '-o', 'yaml')).match(/gitVersion: (\S+)/)?.[1]}`,
  );
  for (const part of parts) await PARTS[part]?.();
} finally {
  await deleteTeam(TEAM);
}
