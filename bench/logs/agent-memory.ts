import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { firstWrongLine, LINE_BYTES, printLines } from '#bench/builds/numbered-lines.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended, LocalPod } from '#testing/agent/local-pod.ts';
import { makeCertificate } from '#testing/network/certificate.ts';
import { freePort } from '#testing/network/free-port.ts';
import { checkout } from '#tools/checkout.ts';

/*
 * Measures the memory of the agent in dist/ and the processor time of its start, without a cluster: the agent
 * and a shim are processes of this machine, the gateway is a fake one. The agent starts with the options of
 * Millrace's image. The fake gateway takes `delay` ms longer for each batch of events, as one that stores
 * them would. First run `make dist`.
 *
 *   node bench/logs/agent-memory.ts [--runs 5] [--megabytes 100] [--delay 40]
 */
const runs = numberFlag('runs', 5);
const megabytes = numberFlag('megabytes', 100);
const delay = numberFlag('delay', 40);
const lines = (megabytes * 1e6) / LINE_BYTES;
const NODE_SETTLES_MS = 500;
/** `FakeGateway` has the agent mask variables with such names. */
const SECRETS = Object.fromEntries(
  [1, 2, 3, 4, 5].map((index) => [`SECRET_${index}`, `tok_${'5eC'.repeat(10)}${index}`]),
);

const START_SCRIPT = 'tools/images/millrace/root/usr/local/bin/millrace-agent';
const startLines = readFileSync(join(checkout, START_SCRIPT), 'utf8').split('\n');
const startWords = startLines.find((line) => line.includes('agent.cjs'))?.split(' ') ?? [];
const options = startWords.filter((word) => word.startsWith('--'));
const bundle = join(checkout, 'dist/agent.cjs');
const shim = join(checkout, `dist/shim-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`);

interface Memory {
  /** The peak resident memory so far, in bytes. */
  peak: number;
  /** The resident memory now, without pages of files such as the program of Node, in bytes. */
  anonymous: number;
}

interface Sample extends Memory {
  /** Processor time of the agent until its first request, in milliseconds. */
  start: number;
  /** From when the gateway knows that the step has started until it has the whole log, in milliseconds. */
  log: number;
  /** Processor time of the agent meanwhile, in milliseconds. */
  logProcessor: number;
  /** Whether the log is complete and in order. */
  isWhole: boolean;
}

/** The processor time of all threads that the process has, in milliseconds. */
function processorTime(pid: number): number {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [peak = NaN, anonymous = NaN] = [/^VmHWM:\s+(\d+) kB$/m, /^RssAnon:\s+(\d+) kB$/m].map(
    (line) => Number(line.exec(status)?.[1]) * 1024,
  );
  return { peak, anonymous };
}

/** Node with the options of the agent and a timer. */
async function measureNode(): Promise<Memory & { processor: number }> {
  const node = spawn(process.execPath, [...options, '-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  const pid = node.pid ?? 0;
  await pause(NODE_SETTLES_MS);
  const sample = { ...memoryOf(pid), processor: processorTime(pid) };
  node.kill();
  await ended(node);
  return sample;
}

function planOf(
  scripts: readonly string[],
  { workdir, env }: { workdir: string; env: Record<string, string> },
): Plan {
  const steps = scripts.map((script, index): PlanStep => ({
    id: String(index),
    kind: 'task',
    name: String(index),
    exports: '',
    env,
    ...(Object.keys(env).length > 0 && { needsSecrets: true as const }),
    command: { container: 'worker', argv: ['/bin/sh', '-e'], script },
  }));
  return {
    format: 3,
    build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
    containers: [{ name: 'worker' }],
    workdir,
    timeoutSeconds: 600,
    steps,
    services: [],
    notifications: [],
    variables: {},
    logLimitBytes: 2 * megabytes * 1e6,
  };
}

const certificate = await makeCertificate();

/** One build: a step that runs the script, and one that waits while the memory of the agent is read. */
async function measure(script: string, env: Record<string, string> = {}): Promise<Sample> {
  const pod = new LocalPod();
  pod.open(await freePort());
  const release = join(pod.workdir, 'release');
  const plan = planOf([script, `until [ -e '${release}' ]; do sleep 0.1; done`], {
    workdir: pod.workdir,
    env,
  });
  const gateway = new FakeGateway(certificate, { work: 'build', plan });
  let [start, startedAt, startedProcessor] = [0, 0, 0];
  let pid = 0;
  gateway.failure = (path) => {
    if (path === '/agent/v1/session') start ||= processorTime(pid);
    return path === '/agent/v1/events' ? { delay } : undefined;
  };
  await gateway.open();
  try {
    pod.startShim(shim, 'worker');
    const agent = pod.startAgent([...options, bundle], gateway.url, certificate.cert);
    pid = agent.pid ?? 0;
    await gateway.when(() => gateway.startedSteps().includes('0'));
    [startedAt, startedProcessor] = [performance.now(), processorTime(pid)];
    await gateway.when(() => gateway.startedSteps().includes('1'));
    const sample = {
      start,
      log: performance.now() - startedAt,
      logProcessor: processorTime(pid) - startedProcessor,
      ...memoryOf(pid),
      isWhole: script === 'true' || firstWrongLine(gateway.log('0'), lines) === undefined,
    };
    writeFileSync(release, '');
    const exitCode = await ended(agent);
    if (exitCode !== 0) throw new Error(`the agent ended with ${exitCode}`);
    return sample;
  } finally {
    await pod.close();
    await gateway.close();
  }
}

if (!existsSync(bundle) || !existsSync(shim)) throw new Error('First run `make dist`.');
const samples = {
  node: [] as Awaited<ReturnType<typeof measureNode>>[],
  quiet: [] as Sample[],
  loud: [] as Sample[],
  masked: [] as Sample[],
};
for (let run = 0; run < runs; run += 1) {
  samples.node.push(await measureNode());
  samples.quiet.push(await measure('true'));
  samples.loud.push(await measure(printLines(lines)));
  samples.masked.push(await measure(printLines(lines), SECRETS));
}
const { node, quiet, loud, masked } = samples;
const medianAndP90 = (values: number[]): string[] => {
  const { median, p90 } = summarise(values);
  return [median.toFixed(1), p90.toFixed(1)];
};
const memoryRows = (title: string, of: readonly Memory[]): string[][] => [
  [`most resident memory, ${title}, MB`, ...medianAndP90(of.map(({ peak }) => peak / 1e6))],
  ['… of it not from files', ...medianAndP90(of.map(({ anonymous }) => anonymous / 1e6))],
];
const logRows = (of: readonly Sample[]): string[][] => [
  ['… until the log is stored, ms', ...medianAndP90(of.map(({ log }) => log))],
  ['… processor time of the agent, ms', ...medianAndP90(of.map(({ logProcessor }) => logProcessor))],
  ['… complete and in order', of.every(({ isWhole }) => isWhole) ? 'yes' : '**no**', ''],
];
const agents = [...quiet, ...loud, ...masked];
const rows = [
  ['processor time until the first request, ms', ...medianAndP90(agents.map(({ start }) => start))],
  ['… of Node without a program', ...medianAndP90(node.map(({ processor }) => processor))],
  ...memoryRows('Node without a program', node),
  ...memoryRows('without a log', quiet),
  ...memoryRows(`${megabytes} MB of log`, loud),
  ...logRows(loud),
  ...memoryRows(`${megabytes} MB of log, 5 secrets`, masked),
  ...logRows(masked),
];
process.stdout.write(`${circumstances()}; ${runs} runs of each, ${delay} ms for each batch\n\n`);
process.stdout.write(`${table(['The agent', 'Median', 'p90'], rows)}\n`);
