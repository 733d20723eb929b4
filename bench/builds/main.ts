import { setTimeout as sleep } from 'node:timers/promises';
import { difference } from '#bench/api-writes.ts';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { clusterPart, isEmbedded } from '#e2e/support/embedded.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, RELEASE, request } from '#e2e/support/gateway.ts';
import { kubectl, list } from '#e2e/support/kubectl.ts';
import { deletePod, runBarePod, specOf, type BareRun } from './bare-pod.ts';
import { measureBuild, measureThroughput, type BuildRun } from './builds.ts';
import { measureChain } from './chain.ts';
import { apiWrites, call } from './cluster-client.ts';
import { besideGreedyTeam } from './greedy.ts';
import { recovery } from './recovery.ts';

/*
 * The figures of docs/benchmarks.md that need a cluster. Builds and bare Pods alternate in one run, so that a
 * noisy machine troubles both alike: quote the ratios.
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

const say = (name: string, value: string, aim = ''): void =>
  console.log(`${name.padEnd(52)} ${value}${aim === '' ? '' : `   [aim ${aim}]`}`);

const latencies = async (): Promise<void> => {
  const first = await measureBuild(TEAM, 'bench', 'one');
  const spec = await specOf(TEAM, first.pod);
  const one: BuildRun[] = [];
  const three: BuildRun[] = [];
  const bare: BareRun[] = [];
  for (let round = 0; round < RUNS; round++) {
    one.push(await measureBuild(TEAM, 'bench', 'one'));
    const run = await runBarePod(TEAM, spec, `bare-${process.pid}-${round}`);
    bare.push(run);
    await deletePod(TEAM, run.name);
    three.push(await measureBuild(TEAM, 'bench', 'three'));
    await sleep(500);
  }
  const builds = [...one, ...three];
  const process1 = summarise(one.map(({ firstProcess }) => firstProcess ?? Number.NaN));
  const reference = summarise(bare.map(({ running }) => running));
  say('trigger sent → answered', inMilliseconds(summarise(builds.map(({ answered }) => answered))));
  say(
    'trigger written → Pod object',
    inMilliseconds(summarise(builds.map(({ podObject }) => podObject))),
    '≤ 7 ms',
  );
  say('bare Pod: create → Pod object', inMilliseconds(summarise(bare.map(({ object }) => object))));
  say('bare Pod: create → process of its last container', inMilliseconds(reference));
  say('trigger sent → first step’s process', inMilliseconds(process1), '≤ 400 ms');
  say('  ratio to the bare Pod', (process1.median / reference.median).toFixed(2), '≤ 1.15');
  say(
    'trigger sent → outcome recorded, 1 step',
    inMilliseconds(summarise(one.map(({ outcome }) => outcome))),
    '≤ 500 ms',
  );
  say(
    'trigger sent → outcome recorded, 3 steps',
    inMilliseconds(summarise(three.map(({ outcome }) => outcome))),
    '≤ 500 ms',
  );
};

const webhook = async (): Promise<void> => {
  const api = pipelineApi(TEAM, 'bench');
  const { webhook_token: token } = await api.resource('stamp.now');
  const samples: number[] = [];
  for (let round = 0; round < RUNS; round++) {
    const known = (await api.versions('stamp.now'))[0]?.id ?? 0;
    const start = performance.now();
    await request('POST', `/webhooks/${token}`);
    while (((await api.versions('stamp.now'))[0]?.id ?? 0) <= known) await sleep(5);
    samples.push(performance.now() - start);
    await sleep(1500);
  }
  say('webhook sent → version recorded (check in a Pod)', inMilliseconds(summarise(samples)));
};

const chain = async (): Promise<void> => {
  const runs = await measureChain(TEAM, RUNS);
  const row = (pick: (run: (typeof runs)[number]) => number): string =>
    inMilliseconds(summarise(runs.map(pick)));
  say(
    'version recorded → Pod object of its build',
    row(({ versionToPod }) => versionToPod),
    '≤ 150 ms',
  );
  say(
    'upstream build ended → downstream build',
    row(({ endToBuild }) => endToBuild),
    '≤ 100 ms',
  );
  say(
    '  … → its Pod object',
    row(({ endToPod }) => endToPod),
  );
};

const total = (writes: Record<string, number>): number =>
  Object.values(writes).reduce((sum, one) => sum + one, 0);

const writesPerBuild = async (): Promise<void> => {
  const count = 20;
  const api = pipelineApi(TEAM, 'bench');
  if (isEmbedded) {
    // What is still being cleaned up after the builds before is not of these.
    while ((await list('pods', '--namespace', TEAM)).length > 0) await sleep(500);
    await clusterPart('stop', 'kube-scheduler');
    const before = await apiWrites();
    const numbers: string[] = [];
    for (let round = 0; round < count; round++) numbers.push(created(await api.trigger('three')).number);
    // Without a scheduler the start window lets them through a few at a time.
    while ((await list('pods', '--namespace', TEAM)).length < count) await sleep(500);
    const toPod = difference(before, await apiWrites());
    await clusterPart('start', 'kube-scheduler');
    say('API writes per build to the Pod object', (total(toPod) / count).toFixed(2), '1.0');
    console.log(`  ${JSON.stringify(toPod)}`);
    for (const number of numbers)
      while ((await api.build('three', number)).status !== 'succeeded') await sleep(200);
    await sleep(30_000);
    const whole = difference(before, await apiWrites());
    say('API writes per build to its Pod’s deletion, all writers', (total(whole) / count).toFixed(2));
    console.log(`  ${JSON.stringify(whole)}`);
  }
};

const memory = async (): Promise<void> => {
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
      const at = `/api/v1/namespaces/${RELEASE.namespace}/pods/${metadata.name}:9090/proxy/metrics`;
      const resident = /^process_resident_memory_bytes\S* (\S+)$/m.exec(await call('GET', at))?.[1];
      megabytes.push(Number(resident) / 1e6);
    }
    const aim = component === 'operator' ? '≤ 160 MB' : '≤ 130 MB';
    say(
      `idle memory, ${component} (each replica)`,
      `${megabytes.map((one) => one.toFixed(0)).join(', ')} MB`,
      aim,
    );
  }
};

const alone = async (): Promise<void> => {
  await memory();
  await latencies();
  await webhook();
  await chain();
  const throughput = { team: TEAM, pipeline: 'bench', job: 'three' };
  say('builds per second, 40 builds, 10 at a time', (await measureThroughput(throughput, 40, 10)).toFixed(2));
  await writesPerBuild();
};

await createTeam(TEAM);
await createPipeline(TEAM, 'bench', CONFIG);
try {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${(await kubectl('version', '-o', 'yaml')).match(/gitVersion: (\S+)/)?.[1]}`,
  );
  // alone, recovery or greedy: one part of it.
  const only = process.env['BENCH_ONLY'];
  const measured = { team: TEAM, pipeline: 'bench', job: 'one' };
  if (only === undefined || only === 'alone') await alone();
  if (only === undefined || only === 'recovery') await recovery(measured, say);
  if (only === undefined || only === 'greedy') await besideGreedyTeam(measured, RUNS, say);
} finally {
  await deleteTeam(TEAM);
}
