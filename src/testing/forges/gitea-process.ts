import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env, getuid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/network/free-port.ts';
import { build } from '#tools/cluster/build.ts';
import { binaryPath, dataFolder, foldersFrom } from '#tools/cluster/folders.ts';
import { run } from '#tools/cluster/run.ts';
import { settingsOf, type GiteaOptions } from './gitea-settings.ts';

/** The user `nobody` of every Linux. Gitea refuses to run as root. */
const NOBODY = 65_534;
/** How many lines of Gitea's log the error contains if Gitea does not start. */
const LOG_LINES = 20;

/** Gitea with a database and repositories of its own in a temporary folder. */
export interface GiteaProcess {
  readonly address: string;
  /** Runs a command of the program on the same data, and returns what it prints. */
  command(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Builds Gitea if needed, which takes minutes, and starts it as an ordinary user. */
export async function startGiteaProcess(options: GiteaOptions = {}): Promise<GiteaProcess> {
  const folder = await copyProgram();
  const { host = '127.0.0.1', certificate } = options;
  const address = `http${certificate === undefined ? '' : 's'}://${host}:${await freePort()}`;
  await mkdir(join(folder, 'custom/public/assets/.vite'), { recursive: true });
  await writeFile(join(folder, 'app.ini'), settingsOf(folder, address, options));
  // Gitea's module has no built scripts and styles: the pages are bare, and this says that there are none.
  await writeFile(join(folder, 'custom/public/assets/.vite/manifest.json'), '{}');
  if (certificate !== undefined) {
    await writeFile(join(folder, 'cert.pem'), certificate.cert);
    await writeFile(join(folder, 'key.pem'), certificate.key);
  }
  await giveToNobody(folder);
  const log: string[] = [];
  const child = spawn('setpriv', [...asNobody(folder), 'web'], {
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log.push(...text.split('\n'));
      log.splice(0, log.length - LOG_LINES);
    });
  }
  await waitUntilListening(address, child, log);
  return {
    address,
    command: async (...args) =>
      await run('setpriv', [...asNobody(folder), ...args], { env: environment(folder) }),
    async stop() {
      await killAndWait(child);
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Copies the program, with hard links if possible, to a folder that an ordinary user can reach. */
async function copyProgram(): Promise<string> {
  const folders = foldersFrom(env);
  await build(folders, ['gitea']);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-gitea-'));
  const program = binaryPath(folders, 'gitea');
  const sources = [program, join(dirname(program), dataFolder)];
  const copy = async (...options: string[]): Promise<string> =>
    await run('cp', ['-r', ...options, ...sources, folder]);
  // Hard links do not work between file systems.
  await copy('--link').catch(async () => await copy('--force'));
  return folder;
}

/**
 * If root runs the tests, gives the folder to the user nobody, except the program and its data. These may be
 * hard links, and their files still belong to root.
 */
async function giveToNobody(folder: string): Promise<void> {
  if (getuid?.() !== 0) return;
  const customFiles = (await readdir(join(folder, 'custom'), { recursive: true })).map((name) =>
    join('custom', name),
  );
  const certificate = (await readdir(folder)).filter((name) => name.endsWith('.pem'));
  for (const name of ['.', 'app.ini', 'custom', ...customFiles, ...certificate])
    await chown(join(folder, name), NOBODY, NOBODY);
  await chmod(folder, 0o700);
}

/** The arguments of `setpriv`: runs Gitea, as nobody if root runs the tests, until the test run is killed. */
function asNobody(folder: string): string[] {
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const processOptions = ['--pdeathsig=KILL', ...(getuid?.() === 0 ? user : [])];
  return [...processOptions, join(folder, 'gitea'), '--config', join(folder, 'app.ini')];
}

const environment = (folder: string): Record<string, string> => ({
  PATH: env['PATH'] ?? '',
  HOME: folder,
  GITEA_WORK_DIR: folder,
});

async function waitUntilListening(
  address: string,
  child: ChildProcess,
  log: readonly string[],
): Promise<void> {
  const { port, hostname } = new URL(address);
  while (child.exitCode === null && child.signalCode === null) {
    const isListening = await new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isListening === true) return;
    await sleep(50);
  }
  throw new Error(`Gitea did not start:\n${log.join('\n')}`);
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Nobody needs the data of this Gitea later, so it need not shut down in order.
  child.kill('SIGKILL');
  await ended;
}
