import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { inClusterConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { bundle, Contestant, type ContestantProgram } from './operator-frameworks/contestant.ts';
import { install, type Installed } from './operator-frameworks/packages.ts';
import { NAMESPACE } from './operator-frameworks/reports.ts';
import {
  idle,
  recreated,
  restart,
  slow,
  throwing,
  type Scenario,
  type ScenarioResult,
} from './operator-frameworks/scenarios.ts';
import { ThrowAwayServer } from './operator-frameworks/server.ts';

/*
 * Compares libraries on which the operator could be built. Each runs in a separate process, with the same API
 * server (docs/adr/0002):
 *
 *   node bench/comparisons/operator-frameworks.ts [--rounds 3]
 *
 * It starts an etcd and an API server of its own on loopback, with the programs of the embedded cluster
 * (`make cluster` builds them). It installs the packages into a temporary folder to count them; only
 * @dot-i/k8s-operator also runs from there. At the end it stops the servers and removes the folder. A round
 * takes about three minutes.
 */
const scenarios = { idle, throwing, slow, restart, recreated } satisfies Record<string, Scenario>;

type ScenarioName = keyof typeof scenarios;

interface Framework {
  program: ContestantProgram;
  installed?: Installed;
}

/** The results of each contestant in each scenario, one per round. */
type Findings = Map<string, Map<ScenarioName, ScenarioResult[]>>;

interface Comparison {
  folder: string;
  server: ThrowAwayServer;
  client: ApiClient;
  frameworks: Framework[];
  findings: Findings;
}

async function main(): Promise<void> {
  const rounds = numberFlag('rounds', 3);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measure-'));
  console.log(circumstances());
  const server = await ThrowAwayServer.start(folder);
  try {
    const frameworks = await installAll(folder);
    const connection = inClusterConnection(server.address, folder);
    const client = new ApiClient(connection);
    await prepare(client);
    await bundle([...new Set(frameworks.map(({ program }) => program.file))], folder);
    const comparison: Comparison = { folder, server, client, frameworks, findings: new Map() };
    for (let round = 1; round <= rounds; round += 1) {
      console.error(`round ${round} of ${rounds}`);
      await runRound(comparison, round);
    }
    await connection.close();
    console.log(report(comparison));
    console.log(circumstances());
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installAll(folder: string): Promise<Framework[]> {
  const dotI = await install(join(folder, 'dot-i'), '@dot-i/k8s-operator@1.3.9');
  const clientNode = await install(join(folder, 'client-node'), '@kubernetes/client-node@2.0.1');
  const undici = await install(join(folder, 'undici'), 'undici@8.12.4');
  const informer = { name: 'informer', file: 'informer.ts' };
  return [
    { program: { name: 'Node alone', file: 'bare.ts' } },
    { program: { name: '@dot-i/k8s-operator', file: 'dot-i.ts', packages: dotI.folder }, installed: dotI },
    { program: informer, installed: clientNode },
    { program: { ...informer, name: 'informer, guarded', args: ['guarded'] }, installed: clientNode },
    { program: { name: 'own reflector and queue', file: 'reflector.ts' }, installed: undici },
  ];
}

async function prepare(client: ApiClient): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  orThrow(await client.create(KINDS.namespaces, namespace), 'create the namespace');
  const metadata = { name: 'seed', namespace: NAMESPACE };
  orThrow(await client.create(KINDS.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }), 'seed');
}

/**
 * Runs every scenario once. The contestants run at the same time, each in a new process for each scenario.
 * Node alone takes part only in `idle`.
 */
async function runRound(comparison: Comparison, round: number): Promise<void> {
  const { folder, server, client, frameworks, findings } = comparison;
  for (const name of ['idle', 'throwing', 'slow', 'restart', 'recreated'] as const) {
    const participants = frameworks.filter(({ program }) => name === 'idle' || program.file !== 'bare.ts');
    const contestants = participants.map(({ program }) => new Contestant(program, server, folder));
    try {
      for (const contestant of contestants) await waitUntilStarted(contestant);
      const results = await scenarios[name]({ server, client, contestants, round: `${round}` });
      for (const [contestant, finding] of results) record(findings, { contestant, name, finding });
    } finally {
      for (const contestant of contestants) await contestant.end();
      await clear(client);
    }
  }
}

/** Deletes all ConfigMaps and Secrets but the seed, so that they do not reach the next contestants. */
async function clear(client: ApiClient): Promise<void> {
  for (const kind of [KINDS.configMaps, KINDS.secrets]) {
    const names: string[] = [];
    orThrow(
      await client.list<{ metadata?: { name?: string } }>(kind, { namespace: NAMESPACE }, (items) => {
        for (const { metadata } of items) names.push(metadata?.name ?? '');
      }),
      'list the objects of the scenario',
    );
    for (const name of names.filter((other) => other !== 'seed')) {
      orThrow(await client.delete(kind, { namespace: NAMESPACE, name }), `delete ${name}`);
    }
  }
}

async function waitUntilStarted(contestant: Contestant): Promise<void> {
  const seed = await contestant.waitForReport(({ name }) => name === 'seed', 15_000);
  if (seed === undefined) throw new Error(`${contestant.name} did not start.`);
}

function record(
  findings: Findings,
  { contestant, name, finding }: { contestant: string; name: ScenarioName; finding: ScenarioResult },
): void {
  const ofContestant = findings.get(contestant) ?? new Map<ScenarioName, ScenarioResult[]>();
  findings.set(contestant, ofContestant.set(name, [...(ofContestant.get(name) ?? []), finding]));
}

function report({ frameworks, findings }: Comparison): string {
  const header = ['', ...frameworks.map(({ program }) => program.name)];
  const row = (title: string, name: ScenarioName, show: (results: ScenarioResult[]) => string): string[] => [
    title,
    ...frameworks.map(({ program }) => {
      const results = findings.get(program.name)?.get(name);
      return results === undefined ? '' : show(results);
    }),
  ];
  const rows = [
    row('API server killed: a later object arrives', 'restart', share('arrived')),
    row('… after (median, slowest)', 'restart', milliseconds),
    row('… the process lives', 'restart', share('alive')),
    row('handler throws once: the object is handled again', 'throwing', share('again')),
    row('… the next object is handled', 'throwing', share('next')),
    row('… the process lives', 'throwing', share('alive')),
    row('slow handler (6 s): delay of another kind (median, slowest)', 'slow', milliseconds),
    row('… two handlers of one object at a time', 'slow', share('overlapping')),
    row('deleted and created again while disconnected: reported as', 'recreated', reportedChanges),
    row('resident memory, idle (median)', 'idle', mebibytes),
    ['packages installed', ...frameworks.map(({ installed }) => installed?.packages.toString() ?? '')],
    ['their bytes', ...frameworks.map(({ installed }) => bytes(installed))],
    ['deprecated among them', ...frameworks.map(({ installed }) => installed?.deprecated.join(', ') ?? '')],
  ];
  return `\n${table(header, rows)}\n`;
}

const share =
  (field: string) =>
  (results: ScenarioResult[]): string =>
    `${results.filter((result) => result[field] === true).length} of ${results.length}`;

function numbers(results: ScenarioResult[], field: string): number[] {
  return results.map((result) => Number(result[field])).filter((value) => Number.isFinite(value));
}

function milliseconds(results: ScenarioResult[]): string {
  const values = numbers(results, 'ms');
  if (values.length === 0) return 'never';
  return `${Math.round(summarise(values).median)} ms, ${Math.max(...values)} ms`;
}

const mebibytes = (results: ScenarioResult[]): string =>
  `${summarise(numbers(results, 'mebibytes')).median.toFixed(0)} MiB`;

const reportedChanges = (results: ScenarioResult[]): string =>
  [...new Set(results.map(({ changes }) => String(changes)))].join('; ');

const bytes = (installed: Installed | undefined): string =>
  installed === undefined ? '' : `${(installed.bytes / 1e6).toFixed(1)} MB`;

await main();
