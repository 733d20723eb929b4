import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Agent } from 'undici';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { freePort } from '#testing/network/free-port.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';

/**
 * A real API server with its own etcd on loopback, without nodes and controllers. Tests may kill and restart
 * it.
 */
export interface OwnApiServer {
  port: number;
  /** An administrator's connection. `port`: the port of a proxy to go through; absent: no proxy. */
  connect(port?: number): Connection;
  /** The path of the administrator's kubeconfig file. */
  kubeconfig: string;
  /** Kills the API server. etcd goes on, so `start` continues with the same objects. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /**
   * Runs these controllers of Kubernetes, by the names that the controller manager uses; returns a function
   * that ends them.
   */
  startControllers(...names: string[]): Promise<() => Promise<void>>;
  /** Runs Kubernetes' scheduler with default settings until `stop`. */
  startScheduler(): Promise<void>;
  /** Ends all these programs and removes their data. */
  stop(): Promise<void>;
}

export interface OwnApiServerOptions {
  /** How often etcd's history is compacted. A watch from a compacted version gets status 410. */
  compaction?: string;
  /** Syncs writes to disk as in production, for benchmarks. */
  durable?: boolean;
}

const TOKEN = 'test-administrator';
const READY_LIMIT_MS = 600_000;

export async function startApiServer(options: OwnApiServerOptions = {}): Promise<OwnApiServer> {
  const binaries = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), `millrace-api-server-${process.pid}-`));
  const client = await freePort();
  const peer = await freePort();
  const port = await freePort();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'tokens.csv'), `${TOKEN},admin,admin,"system:masters"\n`);
  const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
  const etcd = launch(binaries.etcd, folder, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${urls.client}`,
    `--advertise-client-urls=${urls.client}`,
    `--listen-peer-urls=${urls.peer}`,
    `--initial-advertise-peer-urls=${urls.peer}`,
    `--initial-cluster=default=${urls.peer}`,
    ...(options.durable === true ? [] : ['--unsafe-no-fsync']),
  ]);
  let api: ChildProcess | undefined;
  const managers: ChildProcess[] = [];
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(port));
  const server: OwnApiServer = {
    port,
    kubeconfig,
    connect: (through = port) => connection(through),
    kill: async () => await killAndWait(api, 'SIGKILL'),
    start: async () => {
      api = launch(
        binaries.apiServer,
        folder,
        apiServerFlags(folder, { port, etcd: urls.client, ...options }),
      );
      await untilReady(port, folder);
    },
    startControllers: async (...names) => {
      const flags = await clientFlags(folder, kubeconfig, 'controllers');
      const manager = launch(binaries.controllers, folder, [...flags, `--controllers=${names.join(',')}`]);
      managers.push(manager);
      return async () => await killAndWait(manager, 'SIGKILL');
    },
    startScheduler: async () => {
      managers.push(launch(binaries.scheduler, folder, await clientFlags(folder, kubeconfig, 'scheduler')));
    },
    stop: async () => {
      for (const manager of managers) await killAndWait(manager, 'SIGKILL');
      await killAndWait(api, 'SIGKILL');
      await killAndWait(etcd, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** The paths of the programs. Builds all of them if the cache lacks etcd or the API server. */
async function findPrograms(): Promise<Record<'etcd' | 'apiServer' | 'controllers' | 'scheduler', string>> {
  const folders = foldersFrom(process.env);
  const paths = {
    etcd: binaryPath(folders, 'etcd'),
    apiServer: binaryPath(folders, 'kube-apiserver'),
    controllers: binaryPath(folders, 'kube-controller-manager'),
    scheduler: binaryPath(folders, 'kube-scheduler'),
  };
  if (!existsSync(paths.etcd) || !existsSync(paths.apiServer)) {
    const main = new URL('../../../tools/cluster/main.ts', import.meta.url).pathname;
    await promisify(execFile)(process.execPath, [main, 'build', 'etcd', 'kubernetes']);
  }
  return paths;
}

function apiServerFlags(
  folder: string,
  { port, etcd, compaction = '5m' }: { port: number; etcd: string } & OwnApiServerOptions,
): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--etcd-compaction-interval=${compaction}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-cluster-ip-range=198.19.0.0/16',
    `--service-account-key-file=${join(folder, 'sa.key')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
  ];
}

/** Flags of a program that connects to the API server. */
async function clientFlags(folder: string, kubeconfig: string, name: string): Promise<string[]> {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--secure-port=${await freePort()}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, name)}`,
    '--leader-elect=false',
  ];
}

function kubeconfigText(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'own',
    clusters: [
      { name: 'own', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'admin', user: { token: TOKEN } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
  });
}

function launch(program: string, folder: string, args: string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(folder, 'log'), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  return child;
}

async function killAndWait(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.kill(signal);
  await exited;
}

function connection(port: number): Connection {
  // The server creates its certificate at the first start, so it cannot be verified here.
  const connect = { rejectUnauthorized: false };
  // The same timeouts as the operator's.
  const requests = new Agent({ connect, allowH2: false, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const watches = new Agent({ connect, allowH2: false, bodyTimeout: 0 });
  return {
    server: `https://127.0.0.1:${port}`,
    requests,
    watches,
    authorization: () => Promise.resolve({ authorization: `Bearer ${TOKEN}` }),
    close: async () => {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

async function untilReady(port: number, folder: string): Promise<void> {
  const probe = connection(port);
  const limit = Date.now() + READY_LIMIT_MS;
  while (!(await isReady(probe))) {
    if (Date.now() > limit) {
      const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
      throw new Error(`the API server is not ready after ${READY_LIMIT_MS / 1000} s:\n${log.slice(-2000)}`);
    }
    await sleep(100);
  }
  await probe.close();
}

async function isReady(probe: Connection): Promise<boolean> {
  try {
    const headers = await probe.authorization();
    const origin = probe.server;
    const response = await probe.requests.request({ origin, path: '/readyz', method: 'GET', headers });
    await response.body.dump();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}
