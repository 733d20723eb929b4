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
import { bundle, bundledBytes, Contestant, type ContestantProgram } from './api-clients/contestant.ts';
import { FaultyServer } from './api-clients/faulty-server.ts';
import { ThrowAwayServer } from './operator-frameworks/server.ts';

/*
 * Compares clients of the API server: memory, time, processor time, and what they report of faulty responses
 * (docs/adr/0043):
 *
 *   node bench/comparisons/api-clients.ts [--rounds 8]
 *
 * It starts an etcd and an API server of its own on loopback, with the programs of the embedded cluster
 * (`make cluster` builds them), and a server with faulty responses. Each contestant is a process of its
 * own, bundled in the same way. They take turns; meanwhile each also waits for an answer that never comes. A
 * run takes about a minute.
 */
const OBJECTS = 3000;
const MAX_SILENCE_MS = 40_000;
const MAX_CONCURRENT_CREATES = 32;

const programs: ContestantProgram[] = [
  { name: 'own client', file: 'own.ts' },
  { name: 'client-node', file: 'client-node.ts' },
  { name: 'client-node, one pool', file: 'client-node.ts', args: ['pooled'] },
];

const bare: ContestantProgram = { name: 'Node alone', file: 'bare.ts' };

const tasks = [
  { kind: 'get one by one', count: 200 },
  { kind: 'get at once', count: 200 },
  { kind: 'list', count: 1 },
  { kind: 'apply', count: 100 },
] as const satisfies Omit<Task, 'id'>[];

/** Calls whose outcome is compared: a 409 of the real server, and responses of the faulty one. */
const questions: {
  title: string;
  ask: Omit<Task, 'id' | 'kind' | 'count' | 'argument'>;
  argument: string;
}[] = [
  { title: '409 of the real server', ask: { call: 'replaceStale', server: 'real' }, argument: nameOf(0) },
  { title: '410', ask: { call: 'list', server: 'faulty' }, argument: 'gone' },
  { title: '429, Retry-After: 1', ask: { call: 'get', server: 'faulty' }, argument: 'throttled' },
  { title: 'closed before an answer', ask: { call: 'get', server: 'faulty' }, argument: 'reset' },
  { title: 'cut inside the body', ask: { call: 'get', server: 'faulty' }, argument: 'cut' },
  { title: 'unknown field', ask: { call: 'get', server: 'faulty' }, argument: 'newer' },
  { title: 'an answer of 128 MiB', ask: { call: 'get', server: 'faulty' }, argument: 'large' },
];

/** Resident memory in MiB: of the loaded program, after the tasks, and the peak until then. */
type Memory = { loaded: number; worked: number; peak: number };

async function main(): Promise<void> {
  const rounds = numberFlag('rounds', 8);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measure-'));
  const startedAt = performance.now();
  console.log(circumstances());
  const server = await ThrowAwayServer.start(folder);
  const faulty = await FaultyServer.start(folder);
  try {
    await bundle([...new Set([bare, ...programs].map(({ file }) => file))], folder);
    await seed(server, folder);
    await measure(folder, { real: server.address.port, faulty: faulty.port }, rounds);
    console.log(`${circumstances()}; ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
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
  const createRemaining = async (): Promise<void> => {
    while (next < OBJECTS) {
      const metadata = { name: nameOf(next), namespace: NAMESPACE, labels };
      next += 1;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { fixed: 'x'.repeat(1000) } };
      orThrow(await client.create(KINDS.configMaps, object), `create ${metadata.name}`);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CREATES }, createRemaining));
  await connection.close();
}

async function measure(
  folder: string,
  ports: { real: string; faulty: string },
  rounds: number,
): Promise<void> {
  const memories = new Map<string, Memory>();
  const loads = new Map<string, number[]>();
  const nodeAlone = await Contestant.start(bare, folder, ports);
  const contestants: Contestant[] = [];
  for (const program of programs)
    contestants.push(await startTimed(program, { folder, ports, rounds, loads }));
  await sleep(1000);
  for (const contestant of contestants)
    memories.set(contestant.name, { loaded: contestant.memory().now, worked: 0, peak: 0 });
  const silences = contestants.map((contestant) => timeSilence(contestant));
  const reports = await measureAll(contestants, rounds);
  for (const contestant of contestants) {
    const { now, peak } = contestant.memory();
    memories.set(contestant.name, { loaded: memories.get(contestant.name)?.loaded ?? 0, worked: now, peak });
  }
  console.log(
    `\nNode alone: ${nodeAlone.contestant.memory().now.toFixed(0)} MiB\n\n${formatCosts(folder, loads, memories)}\n`,
  );
  console.log(`${formatTimes(reports)}\n`);
  console.log(`${await askQuestions(contestants, await Promise.all(silences))}\n`);
  for (const contestant of [nodeAlone.contestant, ...contestants]) await contestant.end();
}

/** Starts a contestant once per round to time its loading. Ends all its processes but the last. */
async function startTimed(
  program: ContestantProgram,
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
  loads.set(program.name, starts);
  for (;;) {
    const { contestant, ms } = await Contestant.start(program, folder, ports);
    starts.push(ms);
    if (starts.length === rounds) return contestant;
    await contestant.end();
  }
}

/**
 * How long a client waits for a server that accepts the request and never answers; at most `MAX_SILENCE_MS`.
 */
async function timeSilence(contestant: Contestant): Promise<string> {
  const ask: Omit<Task, 'id'> = { kind: 'ask', count: 1, call: 'get', server: 'faulty', argument: 'silent' };
  const report = await Promise.race([
    contestant.perform(ask),
    sleep(MAX_SILENCE_MS, undefined, { ref: false }),
  ]);
  if (report === undefined) return `still waiting after ${MAX_SILENCE_MS / 1000} s`;
  return `after ${(report.ms / 1000).toFixed(0)} s: ${report.outcome}`;
}

/** The reports of each contestant on each task, by `keyOf`. */
type Reports = Map<string, Report[]>;

const keyOf = (kind: string, name: string): string => `${kind}, ${name}`;

/** The first round opens connections and warms up, so it does not count. */
async function measureAll(contestants: Contestant[], rounds: number): Promise<Reports> {
  const reports: Reports = new Map();
  for (const task of tasks) for (const { name } of contestants) reports.set(keyOf(task.kind, name), []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const { contestant, task } of turns(contestants, round)) {
      const { key, report } = await performTask(contestant, task);
      if (round > 0) reports.get(key)?.push(report);
    }
  }
  return reports;
}

/** Each round starts with another contestant. */
function turns(
  contestants: Contestant[],
  round: number,
): { contestant: Contestant; task: (typeof tasks)[number] }[] {
  const first = round % contestants.length;
  const order = [...contestants.slice(first), ...contestants.slice(0, first)];
  return tasks.flatMap((task) => order.map((contestant) => ({ contestant, task })));
}

async function performTask(
  contestant: Contestant,
  task: Omit<Task, 'id'>,
): Promise<{ key: string; report: Report }> {
  const report = await contestant.perform(task);
  if (report.outcome !== 'done' && report.outcome !== `${OBJECTS} objects`) {
    throw new Error(`${contestant.name}, ${task.kind}: ${report.outcome}`);
  }
  return { key: keyOf(task.kind, contestant.name), report };
}

function formatCosts(folder: string, loads: Map<string, number[]>, memories: Map<string, Memory>): string {
  const rows = programs.map((program) => {
    const { loaded, worked, peak } = memories.get(program.name) ?? { loaded: 0, worked: 0, peak: 0 };
    const load = summarise(loads.get(program.name) ?? []).median;
    return [
      program.name,
      `${(bundledBytes(folder, program) / 1e6).toFixed(2)} MB`,
      `${load.toFixed(0)} ms`,
      ...[loaded, worked, peak].map((mebibytes) => `${mebibytes.toFixed(0)} MiB`),
    ];
  });
  return table(['', 'bundle', 'loaded after', 'memory, loaded', 'after the work', 'peak'], rows);
}

function formatTimes(reports: Reports): string {
  const rows = tasks.flatMap(({ kind, count }) => {
    const own = summarise((reports.get(keyOf(kind, 'own client')) ?? []).map(({ ms }) => ms)).median;
    return programs.map(({ name }) => {
      const rounds = reports.get(keyOf(kind, name)) ?? [];
      const whole = summarise(rounds.map(({ ms }) => ms));
      const each = summarise(rounds.flatMap(({ samples }) => samples));
      const cpu = summarise(rounds.map(({ cpuMs }) => cpuMs)).median;
      return [
        `${kind} (${kind === 'list' ? OBJECTS : count})`,
        name,
        `${whole.median.toFixed(0)} ms`,
        `${whole.p90.toFixed(0)} ms`,
        (whole.median / own).toFixed(2),
        Number.isNaN(each.median) ? '' : `${each.median.toFixed(1)} / ${each.p90.toFixed(1)} ms`,
        `${cpu.toFixed(0)} ms`,
      ];
    });
  });
  return table(['', 'client', 'median', 'p90', 'ratio to own', 'each: median / p90', 'its CPU'], rows);
}

async function askQuestions(contestants: Contestant[], silences: string[]): Promise<string> {
  const lines: string[] = [];
  for (const { title, ask, argument } of questions) {
    for (const [index, contestant] of contestants.entries()) {
      // The faulty server throttles each name once, so every contestant gets a name that only it uses.
      const uniqueArgument = argument === 'throttled' ? `${argument}.${index}` : argument;
      const report = await contestant.perform({ kind: 'ask', count: 1, ...ask, argument: uniqueArgument });
      lines.push(
        `${title}, ${contestant.name}, ${report.ms.toFixed(0)} ms, peak ${contestant.memory().peak.toFixed(0)} MiB: ${report.outcome}`,
      );
    }
  }
  for (const [index, contestant] of contestants.entries())
    lines.push(`silence, ${contestant.name}: ${silences[index] ?? ''}`);
  return lines.join('\n');
}

await main();
