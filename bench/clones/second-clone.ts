import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { defined } from '#defined';
import { pull } from '#domain/pipeline/built-in/git-pull.ts';

/*
 * How long the built-in type git takes to get each new commit of a large repository, with and without a cache
 * that has the previous commit. This process serves the repository over HTTP.
 */

const MEGABYTES = numberFlag('megabytes', 1000);
const ROUNDS = numberFlag('rounds', 3);
const FILE_BYTES = 256 * 1024;
const runFile = promisify(execFile);
const identity = {
  PATH: env['PATH'],
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

const root = await mkdtemp(join(tmpdir(), 'second-clone-'));
let sentBytes = 0;

async function git(...args: string[]): Promise<string> {
  const { stdout } = await runFile('git', args, { cwd: root, env: { ...identity, HOME: root } });
  return stdout.trim();
}

async function fillRepository(): Promise<void> {
  await git('init', '-q', '--bare', '-b', 'main', 'large.git');
  await git('clone', '-q', 'large.git', 'work');
  const files = Math.ceil((MEGABYTES * 1024 * 1024) / FILE_BYTES);
  for (let file = 0; file < files; file += 1) {
    const folder = join(root, 'work', String(file % 100));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, String(file)), randomBytes(FILE_BYTES));
  }
  await git('-C', 'work', 'config', 'core.compression', '0');
  await commit('first');
}

async function commit(text: string): Promise<string> {
  await writeFile(join(root, 'work', 'changed'), text);
  await git('-C', 'work', 'add', '.');
  await git('-C', 'work', 'commit', '-q', '-m', text);
  await git('-C', 'work', 'push', '-q', 'origin', 'HEAD:refs/heads/main');
  return await git('-C', 'work', 'rev-parse', 'HEAD');
}

/** Serves the repository with `git http-backend`, which speaks CGI. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(backend.stdin);
  let head = Buffer.alloc(0);
  let isBody = false;
  backend.stdout.on('data', (chunk: Buffer) => {
    sentBytes += chunk.length;
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    isBody = true;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    return void response.write(head.subarray(end + 4));
  });
  backend.on('close', () => void response.end());
}

interface Measured {
  seconds: number;
  bytes: number;
}

async function clone(url: string, ref: string, cache: string | undefined): Promise<Measured> {
  const folder = await mkdtemp(join(root, 'build-'));
  const before = sentBytes;
  const started = performance.now();
  await runFile('/bin/sh', ['-ec', pull], {
    cwd: folder,
    maxBuffer: 1024 * 1024,
    env: {
      ...identity,
      HOME: folder,
      WORKDIR: folder,
      GIT_ALLOW_PROTOCOL: 'http',
      param_url: url,
      param_name: 'app',
      version_ref: ref,
      ...defined({ CACHE_DIR: cache }),
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const { stdout } = await runFile('git', ['-C', join(folder, 'app'), 'rev-parse', 'HEAD']);
  if (stdout.trim() !== ref) throw new Error(`the clone has ${stdout}, not ${ref}`);
  await rm(folder, { recursive: true });
  return { seconds, bytes: sentBytes - before };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const rowOf = (name: string, runs: readonly Measured[]): string[] => [
  name,
  `${median(runs.map(({ seconds }) => seconds)).toFixed(1)} s`,
  `${(median(runs.map(({ bytes }) => bytes)) / 1024 / 1024).toFixed(1)} MiB`,
];

const server = createServer(serve).listen(0, '127.0.0.1');
try {
  await fillRepository();
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/large.git`;
  const cache = join(root, 'cache');
  await mkdir(cache);
  const first = await clone(url, await git('-C', 'work', 'rev-parse', 'HEAD'), cache);
  const runs = { without: [] as Measured[], with: [] as Measured[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const ref = await commit(`round ${round}`);
    runs.without.push(await clone(url, ref, undefined));
    runs.with.push(await clone(url, ref, cache));
  }
  console.log(`${circumstances()}\n\n${MEGABYTES} MiB of files that do not compress, ${ROUNDS} rounds\n`);
  const rows = [
    rowOf('first get, which fills the cache', [first]),
    rowOf('later get without a cache', runs.without),
    rowOf('later get of one new commit, with the cache', runs.with),
  ];
  console.log(table(['', 'time, median', 'sent by the server'], rows));
} finally {
  server.close();
  await rm(root, { recursive: true, force: true });
}
