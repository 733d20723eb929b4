import { execFile, spawn, type ExecFileException } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

/* For tests of the type git. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export let root = '';
export let folder = '';
export let origin = '';
let server: Server;
export let httpUrl = '';
const identity = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};
export const TOKEN = 'tok"en $(touch /tmp/never) \\ end';

export function runProgram(
  file: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const programEnv = { PATH: env['PATH'], HOME: options.cwd, ...identity, ...options.env };
    execFile(file, args, { cwd: options.cwd, env: programEnv }, (error, stdout, stderr) => {
      resolve({ code: exitCodeOf(error), stdout, stderr });
    });
  });
}

/** The exit code; 1 if the program did not start or was killed. */
function exitCodeOf(error: ExecFileException | null): number {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : 1;
}

export async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('git', args, { cwd: root });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Runs a script as a step does. Git's protocol `file` is allowed, so most cases need no server. */
export function run(script: string, variables: Record<string, string>): Promise<Outcome> {
  return runProgram('/bin/sh', ['-ec', script], {
    cwd: folder,
    env: { GIT_ALLOW_PROTOCOL: 'file:http', WORKDIR: folder, ...variables },
  });
}

export async function commit(message: string, branch = 'main', base?: string): Promise<string> {
  const work = await mkdtemp(join(root, 'commit-'));
  await git('clone', '-q', origin, work);
  if (base === undefined) await git('-C', work, 'checkout', '-q', '-B', branch);
  else await git('-C', work, 'checkout', '-q', '-B', branch, base);
  await writeFile(join(work, 'file'), `${message}\n`);
  await git('-C', work, 'add', 'file');
  await git('-C', work, 'commit', '-q', '-m', message);
  await git('-C', work, 'push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`);
  return git('-C', work, 'rev-parse', 'HEAD');
}

/**
 * Adds the repository `submodule` to the repository `to`, with any address in .gitmodules. Returns the
 * commit.
 */
export async function addSubmodule(
  to: string,
  path: string,
  submodule: string,
  address: string,
): Promise<string> {
  const work = await mkdtemp(join(root, 'submodule-'));
  await git('clone', '-q', join(root, `${to}.git`), work);
  const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '--'];
  await git('-C', work, ...add, join(root, `${submodule}.git`), path);
  await git('-C', work, 'config', '-f', '.gitmodules', `submodule.${path}.url`, address);
  await git('-C', work, 'commit', '-q', '-a', '-m', `add ${path}`);
  await git('-C', work, 'push', '-q', 'origin', 'HEAD:main');
  return git('-C', work, 'rev-parse', 'HEAD');
}

/** Creates a repository with an empty commit. If its name begins with "private", clients need the token. */
export async function createRepository(name: string): Promise<void> {
  await git('init', '-q', '--bare', '-b', 'main', join(root, `${name}.git`));
  const work = await mkdtemp(join(root, 'new-'));
  await git('clone', '-q', join(root, `${name}.git`), work);
  await git('-C', work, 'commit', '-q', '--allow-empty', '-m', name);
  await git('-C', work, 'push', '-q', 'origin', 'HEAD:main');
}

/**
 * Commits a file whose content Git LFS stores on the server, and a file .lfsconfig with this text. Returns
 * the commit.
 */
export async function addLargeFile(to: string, content: string, lfsConfig: string): Promise<string> {
  const oid = createHash('sha256').update(content).digest('hex');
  largeFiles.set(oid, content);
  const work = await mkdtemp(join(root, 'large-'));
  await git('clone', '-q', join(root, `${to}.git`), work);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
  const files = { '.gitattributes': 'large filter=lfs -text\n', '.lfsconfig': lfsConfig, large: pointer };
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text);
  await git('-C', work, 'add', '--all');
  await git('-C', work, 'commit', '-q', '-m', 'large');
  await git('-C', work, 'push', '-q', 'origin', 'HEAD:main');
  return git('-C', work, 'rev-parse', 'HEAD');
}

/** Contents of files in Git LFS, by hash. All repositories of the server share them. */
const largeFiles = new Map<string, string>();

/** Answers requests of git-lfs: where files are, or a file. Returns false for all other requests. */
function serveLargeFile(path: string, response: ServerResponse): boolean {
  const file = largeFiles.get(path.replace('/large-files/', ''));
  if (file !== undefined) {
    response.end(file);
    return true;
  }
  if (!path.endsWith('/info/lfs/objects/batch')) return false;
  const objects = [...largeFiles].map(([oid, content]) => {
    const download = { href: `http://127.0.0.1:${port()}/large-files/${oid}` };
    return { oid, size: content.length, authenticated: true, actions: { download } };
  });
  response
    .writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' })
    .end(JSON.stringify({ transfer: 'basic', objects }));
  return true;
}

/** Serves git repositories. Requires the token if the repository's name begins with "private". */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const expected = `Basic ${Buffer.from(`oauth2:${TOKEN}`).toString('base64')}`;
  if (url.pathname.startsWith('/redirect/')) {
    const path = url.pathname.slice('/redirect'.length);
    response.writeHead(302, { location: `http://localhost:${port()}${path}${url.search}` }).end();
    return;
  }
  const { host = '', authorization = '' } = request.headers;
  seen.push({ host, path: url.pathname, authorization });
  if (url.pathname.startsWith('/private') && request.headers.authorization !== expected) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
    return;
  }
  if (!serveLargeFile(url.pathname, response)) runHttpBackend(request, response, url);
}

/** `git http-backend` as CGI. */
function runHttpBackend(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: 'someone',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output.subarray(0, end).toString().split('\r\n');
    const status = headers.find((header) => header.startsWith('Status: '))?.slice(8, 11) ?? '200';
    for (const header of headers.filter((line) => !line.startsWith('Status: '))) {
      const [name = '', value = ''] = header.split(': ');
      response.setHeader(name, value);
    }
    sentBytes += output.length - end - 4;
    response.writeHead(Number(status)).end(output.subarray(end + 4));
  });
}

export let seen: { host: string; path: string; authorization: string }[] = [];
/** Bytes of the bodies of git's responses, without those of Git LFS. */
export let sentBytes = 0;
export const port = (): number => {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

/** Serves git repositories over HTTP, and gives each test an empty repository at `origin`. */
export function useGitServer(): void {
  beforeAll(async () => {
    server = createServer(serve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-git-'));
    origin = join(root, 'origin.git');
    folder = join(root, 'work');
    await mkdir(folder);
    await git('init', '-q', '--bare', '-b', 'main', origin);
    await git('-C', origin, 'config', 'http.receivepack', 'true');
    serveRepository('origin');
    seen = [];
    largeFiles.clear();
    sentBytes = 0;
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });
}

/** Makes `httpUrl` the URL of this bare repository below `root`. */
export function serveRepository(name: string): void {
  httpUrl = `http://127.0.0.1:${port()}/${name}.git`;
}
