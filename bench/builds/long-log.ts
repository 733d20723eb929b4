import { setTimeout as sleep } from 'node:timers/promises';
import { buildEnded, createPipeline, releaseSteps, UNTIL_RELEASED } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { deletePod, podSpecOf, type PodSpec } from './bare-pod.ts';
import { END_STATUSES } from './builds.ts';
import { call } from './cluster-client.ts';
import { firstWrongLine, LINE_BYTES, printLines } from './numbered-lines.ts';
import type { PrintRow } from './print-row.ts';

const LINES = 1_000_000;
const MEGABYTES = (LINES * LINE_BYTES) / 1e6;
const PIPELINE = 'long-log';
const GATEWAY = `${RELEASE.name}-gateway-internal`;
const TIMEOUT_MS = 300_000;

const WAIT = `until ${UNTIL_RELEASED}; do sleep 0.2; done`;

/**
 * The gateway stores the events of a build in order, so the log of the first step is stored once the API
 * shows that the second has started. The second step keeps the agent running while its memory is read.
 */
const CONFIG = `
job "${PIPELINE}" {
  task "write" {
    run "shell" {
      cmd = <<-EOT
        started=$(date +%s%N)
        ${printLines(LINES)}
        echo "times $started $(date +%s%N)"
      EOT
    }
  }
  task "wait" {
    run "shell" {
      cmd = "${WAIT}"
    }
  }
}
job "quiet" {
  task "wait" {
    run "shell" {
      cmd = "${WAIT}"
    }
  }
}
`;

/**
 * Measures a step that logs 100 MB: how long it takes, whether the log is complete and in order, and how much
 * memory its agent uses at its peak. The reference is a bare Pod with the same command, whose output the
 * container runtime writes to a file. Raises the gateway's limit of a build's log to 160Mi, and sets it back
 * to 64Mi, the default, at the end.
 */
export async function measureLongLog(team: string, runs: number, printRow: PrintRow): Promise<void> {
  await createPipeline(team, PIPELINE, CONFIG);
  await setLimitOfLogs('160Mi');
  try {
    for (let run = 0; run < runs; run += 1) {
      const quiet = await runUntilItWaits(team, 'quiet');
      printRow(
        'most resident memory of the agent, a step without a log',
        megabytes(quiet.agentPeak),
        '≤ 60 MB',
      );
      const spec = await measureRun(team, printRow);
      const reference = await writeInBarePod(team, spec);
      printRow('  the same in a bare Pod: the command', seconds(reference));
    }
  } finally {
    await setLimitOfLogs('64Mi');
  }
}

/** Returns the spec of the build's Pod. */
async function measureRun(team: string, printRow: PrintRow): Promise<PodSpec> {
  const { number, spec, agentPeak, waitedAt } = await runUntilItWaits(team, PIPELINE);
  const readStartedAt = performance.now();
  const log = await pipelineApi(team, PIPELINE).log(PIPELINE, number);
  const readMs = performance.now() - readStartedAt;
  const [, started = 'NaN', ended = 'NaN'] = /^times (\d+) (\d+)$/m.exec(log) ?? [];
  const wrongLine = firstWrongLine(log, LINES);
  printRow(`step that logs ${MEGABYTES} MB: the command`, seconds((Number(ended) - Number(started)) / 1e6));
  printRow('  from its start until all of it is stored', seconds(waitedAt - Number(started) / 1e6));
  printRow('  complete and in order', wrongLine === undefined ? 'yes' : `no: line ${wrongLine}`, 'yes');
  printRow('  reading the log over the API', seconds(readMs));
  printRow('  most resident memory of the agent', megabytes(agentPeak), '≤ 60 MB');
  return spec;
}

interface WaitingBuild {
  number: string;
  spec: PodSpec;
  /** The peak resident memory of the agent, in bytes. */
  agentPeak: number;
  /** When a poll first showed that the step `wait` runs, in milliseconds since 1970. */
  waitedAt: number;
}

/**
 * Runs a build to its step `wait`, reads the spec of its Pod and the memory of its agent, and lets it end.
 */
async function runUntilItWaits(team: string, job: string): Promise<WaitingBuild> {
  const api = pipelineApi(team, PIPELINE);
  const { number } = created(await api.trigger(job));
  const isWaiting = async (): Promise<boolean> => {
    const { status, message, steps = [] } = await api.build(job, number);
    if (END_STATUSES.has(status)) throw new Error(`the build is ${status}: ${message}`);
    return steps.some((step) => step.name === 'wait' && step.status === 'started');
  };
  const limit = performance.now() + TIMEOUT_MS;
  while (!(await isWaiting())) {
    if (performance.now() > limit) throw new Error(`${job} does not wait after five minutes`);
    await sleep(200);
  }
  const waitedAt = Date.now();
  const selector = `millrace.dev/kind=build,millrace.dev/job=${job},millrace.dev/build=${number}`;
  const [pod] = await list('pods', '--namespace', team, '--selector', selector);
  const name = pod?.metadata.name ?? '';
  const read = ['--container', 'agent', '--', 'cat', '/proc/1/status'];
  const status = await kubectl('exec', name, '--namespace', team, ...read);
  const spec = await podSpecOf(team, name);
  await releaseSteps(team, PIPELINE);
  await buildEnded(team, PIPELINE, job, number);
  return { number, spec, agentPeak: residentPeak(status), waitedAt };
}

/** Returns the milliseconds that the command takes in the last container of a bare Pod with this spec. */
async function writeInBarePod(namespace: string, spec: PodSpec): Promise<number> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const name = `long-log-${Date.now()}`;
  const script = `started=$(date +%s%N); ${printLines(LINES)}; echo "$started $(date +%s%N)" > /dev/termination-log`;
  const containers = spec.containers.map(({ env: _env, args: _args, ...container }, index) => ({
    ...container,
    terminationMessagePath: '/dev/termination-log',
    command: ['/bin/sh', '-c', index === spec.containers.length - 1 ? script : 'true'],
  }));
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { ...spec, containers },
  };
  await call('POST', path, body);
  for (;;) {
    await sleep(500);
    const pod: {
      status?: { containerStatuses?: { state?: { terminated?: { message?: string } } }[] };
    } = JSON.parse(await call('GET', `${path}/${name}`));
    const messages = (pod.status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.message);
    const [, started, ended] = /^(\d+) (\d+)$/m.exec(messages.join('\n')) ?? [];
    if (ended === undefined) continue;
    await deletePod(namespace, name);
    return (Number(ended) - Number(started)) / 1e6;
  }
}

async function setLimitOfLogs(limit: string): Promise<void> {
  const inNamespace = ['--namespace', RELEASE.namespace];
  await kubectl('set', 'env', `deployment/${GATEWAY}`, `MILLRACE_BUILD_LOG_LIMIT=${limit}`, ...inNamespace);
  await kubectl('rollout', 'status', `deployment/${GATEWAY}`, '--timeout=3m', ...inNamespace);
}

/** Returns the peak resident memory of a process in bytes, from its `/proc/<pid>/status`. */
function residentPeak(status: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
