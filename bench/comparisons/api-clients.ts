import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { inClusterConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { nameOf, NAMESPACE, type Report, type Task } from './api-clients/calls.ts';
import { bundle, bundledBytes, Contestant, type Entry } from './api-clients/contestant.ts';
import { FaultyServer } from './api-clients/faulty-server.ts';
import { ThrowAwayServer } from './operator-frameworks/server.ts';

/*
 * Compares clients of the API server: memory, time, processor, and their results for bad answers
 * (docs/adr/0043):
 *
 *   node bench/comparisons/api-clients.ts [--rounds 8]
 *
 * It starts a separate etcd and API server on loopback from the embedded cluster's cache (`make cluster`
 * fills it), and a server that answers badly. Each contestant is a separate process, bundled alike, and they
 * take turns. It takes about a minute.
 */
const OBJECTS = 3000;
const SILENCE_MS = 40_000;
const SEEDING = 32;

const entries: Entry[] = [
  { name: 'own client', program: 'own.ts' },
  { name: 'client-node', program: 'client-node.ts' },
  { name: 'client-node, one pool', program: 'client-node.ts', args: ['pooled'] },
];

const bare: Entry = { name: 'Node alone', program: 'bare.ts' };

const tasks = [
  { what: 'get one by one', count: 200 },
  { what: 'get at once', count: 200 },
  { what: 'list', count: 1 },
  { what: 'apply', count: 100 },
] as const satisfies Omit<Task, 'id'>[];

const questions: {
  title: string;
  ask: Omit<Task, 'id' | 'what' | 'count' | 'argument'>;
  argument: string;
}[] = [
  { title: '409 of the real server', ask: { call: 'replaceStale', server: 'real' }, argument: nameOf(0) },
  { title: '410', ask: { call: 'list', server: 'faulty' }, argument: 'gone' },
  { title: '429, Retry-After: 1', ask: { call: 'get', server: 'faulty' }, argument: 'throttled' },
  { title: 'connection reset', ask: { call: 'get', server: 'faulty' }, argument: 'reset' },
  { title: 'cut inside the body', ask: { call: 'get', server: 'faulty' }, argument: 'cut' },
  { title: 'unknown field', ask: { call: 'get', server: 'faulty' }, argument: 'newer' },
  { title: 'an answer of 128 MiB', ask: { call: 'get', server: 'faulty' }, argument: 'large' },
];

type Memory = { loaded: number; worked: number; most: number };

async function main(): Promise<void> {
  const rounds = numberFlag('rounds', 8);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measure-'));
  const begun = performance.now();
  console.log(circumstances());
  const server = await ThrowAwayServer.start(folder);
  const faulty = await FaultyServer.start(folder);
  try {
    await bundle([...new Set([bare, ...entries].map(({ program }) => program))], folder);
    await seed(server, folder);
    await measure(folder, { real: server.address.port, faulty: faulty.port }, rounds);
    console.log(`${circumstances()}; ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  } finally {
    await faulty.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seed(server: ThrowAwayServer, folder: string): Promise<void> {
  const connection = inClusterConnection(server.address, folder);
  const client = new ApiClient(connection);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  orThrow(await client.create(KINDS.namespaces, namespace), 'create the namespace');
  const labels = { app: 'measure', part: 'seed' };
  let next = 0;
  const sow = async (): Promise<void> => {
    while (next < OBJECTS) {
      const metadata = { name: nameOf(next), namespace: NAMESPACE, labels };
      next += 1;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { fixed: 'x'.repeat(1000) } };
      orThrow(await client.create(KINDS.configMaps, object), `create ${metadata.name}`);
    }
  };
  await Promise.all(Array.from({ length: SEEDING }, sow));
  await connection.close();
}

async function measure(
  folder: string,
  ports: { real: string; faulty: string },
  rounds: number,
): Promise<void> {
  const memories = new Map<string, Memory>();
  const loads = new Map<string, number[]>();
  const node = await Contestant.start(bare, folder, ports);
  const contestants: Contestant[] = [];
  for (const entry of entries) contestants.push(await started(entry, { folder, ports, rounds, loads }));
  await sleep(1000);
  for (const { name, loaded } of contestants.map((one) => ({ name: one.name, loaded: one.memory().now }))) {
    memories.set(name, { loaded, worked: 0, most: 0 });
  }
  const quiet = contestants.map((one) => measureSilence(one));
  const found = await measureAll(contestants, rounds);
  for (const one of contestants) {
    const { now, most } = one.memory();
    memories.set(one.name, { loaded: memories.get(one.name)?.loaded ?? 0, worked: now, most });
  }
  console.log(`\nNode alone: ${node.one.memory().now.toFixed(0)} MB\n\n${costs(folder, loads, memories)}\n`);
  console.log(`${times(found)}\n`);
  console.log(`${await answers(contestants, await Promise.all(quiet))}\n`);
  for (const one of [node.one, ...contestants]) await one.end();
}

/** Starts a contestant once per round to time its loading; the last process stays. */
async function started(
  entry: Entry,
  {
    folder,
    ports,
    rounds,
    loads,
  }: {
    folder: string;
    ports: { real: string; faulty: string };
    rounds: number;
    loads: Map<string, number[]>;
  },
): Promise<Contestant> {
  const starts: number[] = [];
  loads.set(entry.name, starts);
  for (;;) {
    const { one, ms } = await Contestant.start(entry, folder, ports);
    starts.push(ms);
    if (starts.length === rounds) return one;
    await one.end();
  }
}

/** How long a client waits for a server that accepts the request and never answers. */
async function measureSilence(one: Contestant): Promise<string> {
  const ask: Omit<Task, 'id'> = { what: 'ask', count: 1, call: 'get', server: 'faulty', argument: 'silent' };
  const report = await Promise.race([one.perform(ask), sleep(SILENCE_MS, undefined, { ref: false })]);
  if (report === undefined) return `still waiting after ${SILENCE_MS / 1000} s`;
  return `after ${(report.ms / 1000).toFixed(0)} s: ${report.said}`;
}

type Found = Map<string, Report[]>;

const keyOf = (what: string, name: string): string => `${what}, ${name}`;

/** The first round opens connections and warms up; it does not count. */
async function measureAll(contestants: Contestant[], rounds: number): Promise<Found> {
  const found: Found = new Map();
  for (const task of tasks) for (const { name } of contestants) found.set(keyOf(task.what, name), []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const { one, task } of turns(contestants, round)) {
      const { key, report } = await turn(one, task);
      if (round > 0) found.get(key)?.push(report);
    }
  }
  return found;
}

/** Each round starts with another contestant. */
function turns(
  contestants: Contestant[],
  round: number,
): { one: Contestant; task: (typeof tasks)[number] }[] {
  const first = round % contestants.length;
  const order = [...contestants.slice(first), ...contestants.slice(0, first)];
  return tasks.flatMap((task) => order.map((one) => ({ one, task })));
}

async function turn(one: Contestant, task: Omit<Task, 'id'>): Promise<{ key: string; report: Report }> {
  const report = await one.perform(task);
  if (report.said !== 'done' && report.said !== `${OBJECTS} objects`) {
    throw new Error(`${one.name}, ${task.what}: ${report.said}`);
  }
  return { key: keyOf(task.what, one.name), report };
}

function costs(folder: string, loads: Map<string, number[]>, memories: Map<string, Memory>): string {
  const rows = entries.map((entry) => {
    const { loaded, worked, most } = memories.get(entry.name) ?? { loaded: 0, worked: 0, most: 0 };
    const load = summarise(loads.get(entry.name) ?? []).median;
    return [
      entry.name,
      `${(bundledBytes(folder, entry) / 1e6).toFixed(2)} MB`,
      `${load.toFixed(0)} ms`,
      ...[loaded, worked, most].map((megabytes) => `${megabytes.toFixed(0)} MB`),
    ];
  });
  return table(['', 'bundle', 'loaded after', 'memory, loaded', 'after the work', 'most'], rows);
}

function times(found: Found): string {
  const rows = tasks.flatMap(({ what, count }) => {
    const own = summarise((found.get(keyOf(what, 'own client')) ?? []).map(({ ms }) => ms)).median;
    return entries.map(({ name }) => {
      const reports = found.get(keyOf(what, name)) ?? [];
      const whole = summarise(reports.map(({ ms }) => ms));
      const each = summarise(reports.flatMap(({ samples }) => samples));
      const cpu = summarise(reports.map(({ cpuMs }) => cpuMs)).median;
      return [
        `${what} (${what === 'list' ? OBJECTS : count})`,
        name,
        `${whole.median.toFixed(0)} ms`,
        `${whole.p90.toFixed(0)} ms`,
        (whole.median / own).toFixed(2),
        Number.isNaN(each.median) ? '' : `${each.median.toFixed(1)} / ${each.p90.toFixed(1)} ms`,
        `${cpu.toFixed(0)} ms`,
      ];
    });
  });
  return table(['', 'client', 'median', 'p90', 'ratio', 'each: median / p90', 'its CPU'], rows);
}

async function answers(contestants: Contestant[], quiet: string[]): Promise<string> {
  const lines: string[] = [];
  for (const { title, ask, argument } of questions) {
    for (const [index, one] of contestants.entries()) {
      const named = argument === 'throttled' ? `${argument}.${index}` : argument;
      const report = await one.perform({ what: 'ask', count: 1, ...ask, argument: named });
      lines.push(
        `${title}, ${one.name}, ${report.ms.toFixed(0)} ms, most ${one.memory().most.toFixed(0)} MB: ${report.said}`,
      );
    }
  }
  for (const [index, one] of contestants.entries()) lines.push(`silence, ${one.name}: ${quiet[index] ?? ''}`);
  return lines.join('\n');
}

await main();
