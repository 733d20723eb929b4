import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#testing/network/free-port.ts';

const run = promisify(execFile);

/** The programs of the chart's Postgres; see config/images.json. */
const BIN = '/usr/lib/postgresql/15/bin';

export interface DebianPostgres {
  /** The superuser's URL of a database. */
  url(database: string): string;
  /** Runs a Postgres program with the server's address in its environment. It needs no password. */
  run(program: string, args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the release of Postgres that the chart's image has; installs it if it is missing. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  if (!existsSync(join(BIN, 'pg_dump')) || !existsSync(join(BIN, 'initdb'))) await install();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-debian-postgres-'));
  const user = await serverUser(folder);
  const port = await freePort();
  const runProgram = async (name: string, args: string[]): Promise<string> => {
    const { stdout } = await run(join(BIN, name), args, {
      ...user,
      cwd: folder,
      env: { PATH: process.env['PATH'], PGHOST: '127.0.0.1', PGPORT: String(port) },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  const data = join(folder, 'data');
  const initdbOptions = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await runProgram('initdb', [...initdbOptions, `--pgdata=${data}`]);
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  await runProgram('pg_ctl', ['start', '--wait', '-D', data, '-l', join(folder, 'log'), '-o', options]);
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    run: runProgram,
    async stop() {
      await runProgram('pg_ctl', ['stop', '--wait', '--mode=fast', '-D', data]);
      rmSync(folder, { recursive: true });
    },
  };
}

async function install(): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error(
      'The Postgres of the chart is missing: install the Debian packages postgresql-15 and postgresql-client-15.',
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run(
    'apt-get',
    ['install', '-q', '-y', '--no-install-recommends', 'postgresql-15', 'postgresql-client-15'],
    {
      env,
    },
  );
}

/**
 * The user who runs Postgres. Postgres refuses to run as root, so if root runs the tests, this gives the
 * folder to the user `postgres`.
 */
async function serverUser(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const uid = await idOf('-u');
  const gid = await idOf('-g');
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return { uid, gid };
}

async function idOf(flag: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [flag, 'postgres']);
  return Number(stdout);
}
