import { setTimeout as sleep } from 'node:timers/promises';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { bareSpec, deletePod, podSpecOf, type PodSpec } from './bare-pod.ts';
import { END_STATUSES, measureBuild } from './builds.ts';
import { call } from './cluster-client.ts';
import type { PrintRow } from './print-row.ts';

const TOTAL = 30;
const AT_A_TIME = 10;
const ROUNDS = 2;
const POLL_MS = 250;

interface Measured {
  team: string;
  pipeline: string;
  job: string;
}

/**
 * Compares builds per second with bare Pods per second. A bare Pod has the containers of a build with trivial
 * commands; it is created and runs to its end. As with builds, nothing waits for its deletion. Rounds of
 * builds alternate with rounds of bare Pods.
 */
export async function compareThroughput(measured: Measured, printRow: PrintRow): Promise<void> {
  const { team, pipeline, job } = measured;
  const spec = await podSpecOf(team, (await measureBuild(team, pipeline, job)).pod);
  const builds: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    builds.push(await perSecond(buildRunner(measured)));
    await sleep(5000);
    bare.push(await perSecond(barePodRunner(team, spec, `throughput-${process.pid}-${round}`)));
    await sleep(5000);
  }
  const amount = `${TOTAL}, ${AT_A_TIME} at a time`;
  printRow(`builds per second, ${amount}`, joinRounded(builds));
  printRow(`bare Pods per second, ${amount}`, joinRounded(bare));
  printRow('  builds to bare Pods', (sum(builds) / sum(bare)).toFixed(2), '≥ 0.9');
}

/** Starts one kind of run, finds out which runs have succeeded, and clears them away. */
interface Runner {
  /** Starts a run and returns its name. */
  start: () => Promise<string>;
  /** The names of runs that succeeded. Throws if one ended in another way. */
  succeeded: () => Promise<Set<string>>;
  clear: (name: string) => Promise<unknown>;
}

/**
 * Keeps `AT_A_TIME` runs going until `TOTAL` have ended; returns runs per second. One poll serves all runs: a
 * poll for each run would use a tenth of the processors and so slow down what is measured.
 */
async function perSecond({ start, succeeded, clear }: Runner): Promise<number> {
  const running = new Set<string>();
  const background: Promise<unknown>[] = [];
  let started = 0;
  let ended = 0;
  const began = performance.now();
  while (ended < TOTAL) {
    for (; started < TOTAL && started - ended < AT_A_TIME; started += 1)
      background.push(start().then((name) => running.add(name)));
    // Waits until the next poll is due, and fails at once if a request fails.
    await Promise.race([sleep(POLL_MS), Promise.all(background).then(() => sleep(POLL_MS))]);
    for (const name of running.intersection(await succeeded())) {
      running.delete(name);
      ended += 1;
      background.push(clear(name));
    }
  }
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(background);
  return TOTAL / seconds;
}

function buildRunner({ team, pipeline, job }: Measured): Runner {
  const api = pipelineApi(team, pipeline);
  const start = async (): Promise<string> => {
    for (;;) {
      const answer = await api.trigger(job);
      // A gateway on a busy machine refuses some triggers.
      if (answer.status !== 503) return created(answer).number;
      await sleep(POLL_MS);
    }
  };
  const succeeded = async (): Promise<Set<string>> => {
    const builds = (await api.builds(job)).filter(({ status }) => END_STATUSES.has(status));
    const failed = builds.find(({ status }) => status !== 'succeeded');
    if (failed !== undefined) throw new Error(`${job} #${failed.number} is ${failed.status}`);
    return new Set(builds.map(({ number }) => number));
  };
  return { start, succeeded, clear: () => Promise.resolve() };
}

function barePodRunner(namespace: string, spec: PodSpec, prefix: string): Runner {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  let count = 0;
  const start = async (): Promise<string> => {
    count += 1;
    const metadata = { name: `${prefix}-${count}`, namespace, labels: { bench: 'bare' } };
    await call('POST', path, { apiVersion: 'v1', kind: 'Pod', metadata, spec: bareSpec(spec) });
    return metadata.name;
  };
  const succeeded = async (): Promise<Set<string>> => {
    const list: { items: { metadata: { name: string }; status?: { phase?: string } }[] } = JSON.parse(
      await call('GET', `${path}?labelSelector=bench%3Dbare`),
    );
    const failed = list.items.find(({ status }) => status?.phase === 'Failed');
    if (failed !== undefined) throw new Error(`the bare Pod ${failed.metadata.name} failed`);
    const ended = list.items.filter(({ status }) => status?.phase === 'Succeeded');
    return new Set(ended.map(({ metadata }) => metadata.name));
  };
  return { start, succeeded, clear: (name) => deletePod(namespace, name) };
}

const joinRounded = (values: number[]): string => values.map((value) => value.toFixed(2)).join(', ');
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
