import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { openPool } from '#adapters/database/connection/pool.ts';
import { migrate } from '#adapters/database/migrate.ts';
import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { writesIn, type ApiWrites } from '#bench/api-writes.ts';
import {
  commonEnvironment,
  NAMESPACE,
  operatorEnvironment,
  prepareCluster,
  RELEASE_NAME,
  RELEASED_PROGRAM,
  untilLoaded,
} from '#bench/pods/installation.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { startSimulatedCluster } from './cluster.ts';

/** Durations in milliseconds of work in a Pod, which is only waited for here. */
export interface SimulatedTimes {
  /** From a Pod's binding to its containers' start. */
  start: number;
  check: number;
  step: number;
  /** From the end of a Pod's containers to the kubelet's report. */
  end: number;
}

/** Operator, internal gateway and agents, each a process, with a separate control plane and Postgres. */
export interface Installed {
  client: ApiClient;
  pool: DatabasePool;
  databaseUrl: string;
  operator: number;
  gateway: number;
  writes: () => Promise<ApiWrites>;
  /** Whether the operator has exited. */
  ended: () => boolean;
  /** Ends the agents; returns their summary. */
  endAgents: () => Promise<string>;
  stop: () => Promise<void>;
}

type Ending = () => Promise<void>;

/** Starts all parts; if one fails, stops them all. */
export async function startInstallation(times: SimulatedTimes): Promise<Installed> {
  if (!existsSync(RELEASED_PROGRAM)) throw new Error(`There is no ${RELEASED_PROGRAM}: run make dist first.`);
  const endings: Ending[] = [];
  const stop = async (): Promise<void> => {
    for (let ending = endings.pop(); ending !== undefined; ending = endings.pop()) await ending();
  };
  try {
    return await start(times, endings, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(times: SimulatedTimes, endings: Ending[], stop: Ending): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-simulated-'));
  endings.push(async () => await rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ durable: true });
  endings.push(async () => await postgres.stop());
  await migrate(postgres.url);
  const cluster = await startSimulatedCluster(folder, { startMs: times.start, bareMs: times.step });
  endings.push(async () => await cluster.server.stop());
  endings.push(async () => await end(cluster.kwok));
  const connection = cluster.server.connect();
  const client = new ApiClient(connection);
  const pool = await openPool(postgres.url, { maximumConnections: 4 });
  endings.push(async () => {
    await connection.close();
    await pool.end();
  });
  await prepareCluster(client);
  const common = commonEnvironment(cluster.server.kubeconfig, postgres.url);
  const port = await freePort();
  const service = `https://${RELEASE_NAME}-internal.${NAMESPACE}.svc:${port}`;
  const operator = startPart(['operator'], { ...common, ...operatorEnvironment(service) }, endings);
  await untilLoaded(pool, 0, () => hasEnded(operator));
  const gateway = startPart(
    ['gateway', '--role', 'internal'],
    { ...common, ...(await gatewayEnvironment(client, folder)), MILLRACE_LISTEN: `127.0.0.1:${port}` },
    endings,
  );
  const agents = startAgents(cluster.server.kubeconfig, times);
  endings.push(async () => await end(agents.process));
  return {
    client,
    pool,
    databaseUrl: postgres.url,
    operator: operator.pid ?? 0,
    gateway: gateway.pid ?? 0,
    writes: async () => writesIn(await metricsOf(connection)),
    ended: () => hasEnded(operator),
    endAgents: async () => {
      await end(agents.process);
      return agents.output();
    },
    stop,
  };
}

function startPart(args: string[], env: NodeJS.ProcessEnv, endings: Ending[]): ChildProcess {
  const part = spawn(process.execPath, [RELEASED_PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  endings.push(async () => await end(part));
  return part;
}

/** The Secrets of the operator, as files like those in the gateway's Pod. */
async function gatewayEnvironment(client: ApiClient, folder: string): Promise<NodeJS.ProcessEnv> {
  const keys = join(folder, 'keys');
  const tls = join(folder, 'tls');
  await writeSecret(client, `${RELEASE_NAME}-keys`, keys);
  await writeSecret(client, `${RELEASE_NAME}-internal-tls`, tls);
  return { MILLRACE_POD_NAME: 'gateway-0', MILLRACE_KEYS_DIR: keys, MILLRACE_TLS_DIR: tls };
}

async function writeSecret(client: ApiClient, name: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const found = orAbsent(await client.get(KINDS.secrets, { namespace: NAMESPACE, name }), `reading ${name}`);
  if (found === undefined) throw new Error(`The operator has made no Secret ${name}.`);
  for (const [key, value] of Object.entries(found.data ?? {}))
    await writeFile(join(folder, key), Buffer.from(value, 'base64'), { mode: 0o600 });
}

function startAgents(
  kubeconfig: string,
  times: SimulatedTimes,
): { process: ChildProcess; output: () => string } {
  const program = new URL('../simulated-agent.ts', import.meta.url).pathname;
  const numbers = { 'check-ms': times.check, 'step-ms': times.step, 'end-ms': times.end };
  const flags = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const agents = spawn(process.execPath, [program, '--kubeconfig', kubeconfig, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  agents.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { process: agents, output: () => output.trim() };
}

async function metricsOf(connection: Connection): Promise<string> {
  const headers = await connection.authorization();
  const origin = connection.server;
  const answer = await connection.requests.request({ origin, path: '/metrics', method: 'GET', headers });
  return await answer.body.text();
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

const PATIENCE_MS = 20_000;

/** Sends SIGTERM, and later SIGKILL. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGTERM');
  const late = new AbortController();
  await Promise.race([exited, sleep(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
  if (!hasEnded(child)) child.kill('SIGKILL');
  await exited;
}

async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
