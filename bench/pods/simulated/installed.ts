import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
import { freePort } from '#testing/network/free-port.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { startSimulatedCluster } from './cluster.ts';

/**
 * Durations in milliseconds. A simulated Pod does no work: its agent only waits as long as the work takes.
 */
export interface SimulatedTimes {
  /** From a Pod's binding to its containers' start. */
  start: number;
  check: number;
  /** Also how long the containers of a bare Pod run. */
  step: number;
  /** From the end of a Pod's containers to the kubelet's report. */
  end: number;
}

/**
 * The operator, the internal gateway and one process for all agents, with a separate control plane and
 * Postgres.
 */
export interface Installed {
  client: ApiClient;
  pool: DatabasePool;
  databaseUrl: string;
  /** Process ID. */
  operator: number;
  /** Process ID. */
  gateway: number;
  /** The writes that the API server has counted since it started. */
  writes: () => Promise<ApiWrites>;
  /** Whether the operator has exited. */
  ended: () => boolean;
  /** Ends the agents; returns their summary. */
  endAgents: () => Promise<string>;
  stop: () => Promise<void>;
}

type StopPart = () => Promise<void>;

/** Starts all parts. If a start fails, stops those that run. Does not wait until the gateway is ready. */
export async function startInstallation(times: SimulatedTimes): Promise<Installed> {
  if (!existsSync(RELEASED_PROGRAM)) throw new Error(`There is no ${RELEASED_PROGRAM}: run make dist first.`);
  const stops: StopPart[] = [];
  const stop = async (): Promise<void> => {
    for (let stopNext = stops.pop(); stopNext !== undefined; stopNext = stops.pop()) await stopNext();
  };
  try {
    return await start(times, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(times: SimulatedTimes, stops: StopPart[], stop: StopPart): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-simulated-'));
  stops.push(async () => await rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ durable: true });
  stops.push(async () => await postgres.stop());
  await migrate(postgres.url);
  const cluster = await startSimulatedCluster(folder, { startMs: times.start, bareMs: times.step });
  stops.push(async () => await cluster.server.stop());
  stops.push(async () => await endProcess(cluster.kwok));
  const connection = cluster.server.connect();
  const client = new ApiClient(connection);
  const pool = await openPool(postgres.url, { maximumConnections: 4 });
  stops.push(async () => {
    await connection.close();
    await pool.end();
  });
  await prepareCluster(client);
  const common = commonEnvironment(cluster.server.kubeconfig, postgres.url);
  const port = await freePort();
  const service = `https://${RELEASE_NAME}-internal.${NAMESPACE}.svc:${port}`;
  const operator = startPart(['operator'], { ...common, ...operatorEnvironment(service) }, stops);
  await untilLoaded(pool, 0, () => hasEnded(operator));
  const gateway = startPart(
    ['gateway', '--role', 'internal'],
    { ...common, ...(await gatewayEnvironment(client, folder)), MILLRACE_LISTEN: `127.0.0.1:${port}` },
    stops,
  );
  const agents = startAgents(cluster.server.kubeconfig, times);
  stops.push(async () => await endProcess(agents.process));
  return {
    client,
    pool,
    databaseUrl: postgres.url,
    operator: operator.pid ?? 0,
    gateway: gateway.pid ?? 0,
    writes: async () => writesIn(await metricsOf(connection)),
    ended: () => hasEnded(operator),
    endAgents: async () => {
      await endProcess(agents.process);
      return agents.output();
    },
    stop,
  };
}

function startPart(args: string[], env: NodeJS.ProcessEnv, stops: StopPart[]): ChildProcess {
  const part = spawn(process.execPath, [RELEASED_PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  stops.push(async () => await endProcess(part));
  return part;
}

/**
 * Writes the Secrets that the operator has created for the gateway into files, as the gateway's Pod has them.
 * Returns the environment variables that name their folders.
 */
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

const GRACE_PERIOD_MS = 20_000;

/**
 * Sends SIGTERM, and SIGKILL if the process still runs after `GRACE_PERIOD_MS`. Resolves once it has ended.
 */
async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGTERM');
  const timer = new AbortController();
  await Promise.race([
    exited,
    sleep(GRACE_PERIOD_MS, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
  if (!hasEnded(child)) child.kill('SIGKILL');
  await exited;
}
