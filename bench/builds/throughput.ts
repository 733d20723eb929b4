import { setTimeout as sleep } from 'node:timers/promises';
import { bareSpec, deletePod, podSpecOf, type PodSpec } from './bare-pod.ts';
import { measureBuild, measureThroughput } from './builds.ts';
import { call } from './cluster-client.ts';
import type { PrintRow } from './print-row.ts';

const TOTAL = 30;
const AT_A_TIME = 10;
const ROUNDS = 2;
/** The same interval at which `measureThroughput` polls builds. */
const POLL_MS = 250;

/**
 * Compares builds per second with bare Pods per second. A bare Pod has the containers of a build with trivial
 * commands; it is created, runs to its end and is deleted. Rounds of builds alternate with rounds of bare
 * Pods.
 */
export async function compareThroughput(
  measured: { team: string; pipeline: string; job: string },
  printRow: PrintRow,
): Promise<void> {
  const { team, pipeline, job } = measured;
  const spec = await podSpecOf(team, (await measureBuild(team, pipeline, job)).pod);
  const builds: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    builds.push(await measureThroughput(measured, TOTAL, AT_A_TIME));
    await sleep(5000);
    bare.push(await barePodsPerSecond(team, spec, `throughput-${process.pid}-${round}`));
    await sleep(5000);
  }
  const amount = `${TOTAL}, ${AT_A_TIME} at a time`;
  printRow(`builds per second, ${amount}`, joinRounded(builds));
  printRow(`bare Pods per second, ${amount}`, joinRounded(bare));
  printRow('  builds to bare Pods', (sum(builds) / sum(bare)).toFixed(2), '≥ 0.9');
}

async function barePodsPerSecond(namespace: string, spec: PodSpec, prefix: string): Promise<number> {
  let next = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (next < TOTAL) {
      next += 1;
      await runToEnd(namespace, spec, `${prefix}-${next}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return TOTAL / ((performance.now() - start) / 1000);
}

async function runToEnd(namespace: string, spec: PodSpec, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const metadata = { name, namespace, labels: { bench: 'bare' } };
  await call('POST', path, { apiVersion: 'v1', kind: 'Pod', metadata, spec: bareSpec(spec) });
  for (;;) {
    await sleep(POLL_MS);
    const { status }: { status?: { phase?: string } } = JSON.parse(await call('GET', `${path}/${name}`));
    if (status?.phase === 'Failed') throw new Error(`the bare Pod ${name} failed`);
    if (status?.phase === 'Succeeded') break;
  }
  await deletePod(namespace, name);
}

const joinRounded = (values: number[]): string => values.map((value) => value.toFixed(2)).join(', ');
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
