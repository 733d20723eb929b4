import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { freePort } from '#testing/network/free-port.ts';
import { build } from '#tools/cluster/build.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';

const BUCKET = 'artifacts';

/** A real store with the API of S3, which verifies signatures. Its objects are files of a folder. */
export class S3Server {
  /** Parameters of a resource that uses its bucket. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(process: ChildProcess, folder: string, endpoint: string) {
    this.#process = process;
    this.#folder = folder;
    this.parameters = { endpoint, bucket: BUCKET, ...KEYS };
  }

  static async start(): Promise<S3Server> {
    const folders = foldersFrom(env);
    await build(folders, ['versitygw']);
    const folder = await mkdtemp(join(tmpdir(), 'millrace-s3-'));
    await mkdir(join(folder, BUCKET));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(binaryPath(folders, 'versitygw'), ['--port', address, '--quiet', 'posix', folder], {
      env: { ROOT_ACCESS_KEY: KEYS.access_key_id, ROOT_SECRET_KEY: KEYS.secret_access_key },
      stdio: 'ignore',
    });
    const endpoint = `http://${address}`;
    await waitUntilAnswering(endpoint, child);
    return new S3Server(child, folder, endpoint);
  }

  /** Keys of all objects. */
  async keys(): Promise<string[]> {
    const entries = await readdir(join(this.#folder, BUCKET), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    return files.map((file) => file.slice(join(this.#folder, BUCKET).length + 1)).toSorted();
  }

  async overwrite(key: string, text: string): Promise<void> {
    await writeFile(join(this.#folder, BUCKET, key), text);
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, BUCKET, key));
  }

  async empty(): Promise<void> {
    for (const name of await readdir(join(this.#folder, BUCKET)))
      await rm(join(this.#folder, BUCKET, name), { recursive: true });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}

const KEYS = { access_key_id: 'key-of-the-tests', secret_access_key: 'a "secret"\\of the tests' };

async function waitUntilAnswering(endpoint: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (response !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the store ended with ${child.exitCode}`);
}
