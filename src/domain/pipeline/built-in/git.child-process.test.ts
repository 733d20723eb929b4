import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { check, pull, push } from './git.ts';

// Slow machines take long to start threads and programs.
interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

let root = '';
let folder = '';
let origin = '';
let server: Server;
let httpUrl = '';
const identity = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};
const TOKEN = 'tok"en $(touch /tmp/never) \\ end';

function runProgram(
  file: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const own = { PATH: env['PATH'], HOME: options.cwd, ...identity, ...options.env };
    execFile(file, args, { cwd: options.cwd, env: own }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}

async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('git', args, { cwd: root });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Runs a script as a step does. `file` is allowed so that most cases need no server. */
function run(script: string, variables: Record<string, string>): Promise<Outcome> {
  return runProgram('/bin/sh', ['-ec', script], {
    cwd: folder,
    env: { GIT_ALLOW_PROTOCOL: 'file:http', WORKDIR: folder, ...variables },
  });
}

async function commit(message: string, branch = 'main', base?: string): Promise<string> {
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

/** `git http-backend` as CGI; asks for the token when the repository's name begins with "private". */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const wanted = `Basic ${Buffer.from(`oauth2:${TOKEN}`).toString('base64')}`;
  if (url.pathname.startsWith('/redirect/')) {
    response
      .writeHead(302, { location: `http://localhost:${port()}/${url.pathname.slice(10)}${url.search}` })
      .end();
    return;
  }
  seen.push({ host: request.headers.host ?? '', authorization: request.headers.authorization ?? '' });
  if (url.pathname.startsWith('/private') && request.headers.authorization !== wanted) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
    return;
  }
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
    response.writeHead(Number(status)).end(output.subarray(end + 4));
  });
}

let seen: { host: string; authorization: string }[] = [];
const port = (): number => {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

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
  httpUrl = `http://127.0.0.1:${port()}/origin.git`;
  seen = [];
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const HOSTILE_REFS = [
  '--upload-pack=touch x',
  '-x',
  'a..b',
  'a b',
  'a~1',
  'x.lock',
  'a\nb',
  '$(touch x)\\',
  'a*',
];

describe('check', () => {
  test('answers with the newest commit of the default branch', async () => {
    const id = await commit('one');
    expect(await run(check, { param_url: origin })).toEqual({
      code: 0,
      stdout: `[{"ref":"${id}"}]\n`,
      stderr: '',
    });
  });

  test.each(['feature/x', "we'ird-$HOME-`id`", 'ünïcode', 'a"quote', 'refs/heads/main', 'semi;colon&amp'])(
    'follows the branch %j and no other',
    async (branch) => {
      await commit('one');
      const id = await commit('two', branch);
      const { stdout } = await run(check, { param_url: origin, param_branch: branch });
      expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
    },
  );

  test('takes a branch whose name ends like another one for what it is', async () => {
    const id = await commit('one');
    await commit('two', 'x/main');
    await git('-C', origin, 'update-ref', 'refs/aa/refs/heads/main', await commit('three', 'z'));
    const { stdout } = await run(check, { param_url: origin, param_branch: 'main' });
    expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
  });

  test('fails on a branch that is missing', async () => {
    await commit('one');
    const outcome = await run(check, { param_url: origin, param_branch: 'mian' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "git: the repository has no branch 'mian'\n",
    });
  });

  test('fails on an empty repository', async () => {
    const outcome = await run(check, { param_url: origin });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain('no commit on its default branch yet');
  });

  test('fails, with what git says, on a repository that is missing', async () => {
    const outcome = await run(check, { param_url: join(root, 'nothing.git') });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('does not appear to be a git repository');
    expect(outcome.stdout).toBe('');
  });

  test.each(HOSTILE_REFS)('refuses %j as a branch', async (branch) => {
    await commit('one');
    const outcome = await run(check, { param_url: origin, param_branch: branch });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/begins with a dash|cannot be the name of a branch/);
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test.each([
    '--upload-pack=touch x',
    '-oProxyCommand=touch x',
    'ext::sh -c touch% x',
    'file:///etc',
    '/etc',
    '',
    'ssh://-oProxyCommand=touch%20x/y',
  ])('refuses %j as a URL', async (url) => {
    const outcome = await runProgram('/bin/sh', ['-ec', check], { cwd: folder, env: { param_url: url } });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toBe('');
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test.each(['ssh://git@forge.example/o/r.git', 'git@forge.example:o/r.git'])(
    'says of %s that there is no way to give a key',
    async (url) => {
      const outcome = await run(check, { param_url: url });
      expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('no way to give a key yet') });
    },
  );

  test('works over smart HTTP, which is allowed without being told', async () => {
    const id = await commit('one');
    const outcome = await runProgram('/bin/sh', ['-ec', check], { cwd: folder, env: { param_url: httpUrl } });
    expect(outcome).toEqual({ code: 0, stdout: `[{"ref":"${id}"}]\n`, stderr: '' });
  });
});

describe('a token', () => {
  beforeEach(async () => {
    await commit('one');
    await git('clone', '-q', '--bare', origin, join(root, 'private.git'));
    httpUrl = `http://127.0.0.1:${port()}/private.git`;
  });

  test('opens a private repository, whatever characters it has', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: TOKEN });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });

  test('that is wrong fails at once instead of asking', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: 'wrong' });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).not.toContain('wrong');
  });

  test('that is missing fails at once instead of asking', async () => {
    const outcome = await run(check, { param_url: httpUrl });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('terminal prompts disabled');
  });

  test('does not follow a redirect to another host', async () => {
    const url = `http://127.0.0.1:${port()}/redirect/private.git`;
    const outcome = await run(check, { param_url: url, param_token: TOKEN });
    expect(outcome.code).not.toBe(0);
    expect(seen.filter(({ host }) => host.startsWith('localhost'))).not.toEqual([]);
    expect(
      seen.filter(({ host, authorization }) => host.startsWith('localhost') && authorization !== ''),
    ).toEqual([]);
  });

  test('stays out of the clone', async () => {
    const { stdout } = await run(check, { param_url: httpUrl, param_token: TOKEN });
    const [version] = JSON.parse(stdout);
    await run(pull, { param_url: httpUrl, param_token: TOKEN, param_name: 'app', version_ref: version.ref });
    const { stdout: found } = await runProgram('grep', ['-rlF', 'tok"en', '.'], { cwd: folder });
    expect(await git('-C', join(folder, 'app'), 'rev-parse', 'HEAD')).toBe(version.ref);
    expect(found).toBe('');
  });
});

const inClone = (...args: string[]): Promise<string> => git('-C', join(folder, 'app'), ...args);

describe('pull', () => {
  test('clones at exactly the version, on the branch', async () => {
    const first = await commit('one');
    await commit('two');
    const outcome = await run(pull, {
      param_url: origin,
      param_name: 'app',
      param_branch: 'main',
      version_ref: first,
    });
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(await inClone('rev-parse', 'HEAD')).toBe(first);
    expect(await inClone('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(await inClone('status', '--porcelain')).toBe('');
    expect(await inClone('rev-parse', '--abbrev-ref', 'HEAD@{upstream}')).toBe('origin/main');
  });

  test('finds a commit of another branch, and makes the asked branch point at it', async () => {
    await commit('one');
    const id = await commit('two', 'topic');
    await run(pull, { param_url: origin, param_name: 'deep/er', param_branch: 'topic', version_ref: id });
    expect(await readFile(join(folder, 'deep/er/file'), 'utf8')).toBe('two\n');
  });

  test('finds a commit that a forced push left behind, as long as the server has it', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const base = await commit('one');
    const lost = await commit('two');
    await commit('other two', 'main', base);
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: lost });
    expect(outcome.code).toBe(0);
    expect(await inClone('rev-parse', 'HEAD')).toBe(lost);
  });

  test('says that history was rewritten when the commit is gone', async () => {
    await commit('one');
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: 'ab'.repeat(20) });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('its history was rewritten');
  });

  test('still works when the branch has been deleted', async () => {
    await commit('one');
    const id = await commit('two', 'topic');
    await commit('three', 'keeps-it', id);
    await git('-C', origin, 'update-ref', '-d', 'refs/heads/topic');
    await run(pull, { param_url: origin, param_name: 'app', param_branch: 'topic', version_ref: id });
    expect(await inClone('rev-parse', 'topic')).toBe(id);
  });

  test('fetches no submodules', async () => {
    const work = join(root, 'with-submodule');
    await commit('one');
    await git('clone', '-q', origin, work);
    await git('-C', work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
    await git('-C', work, 'commit', '-q', '-m', 'sub');
    await git('-C', work, 'push', '-q');
    const id = await git('-C', work, 'rev-parse', 'HEAD');
    await run(pull, { param_url: origin, param_name: 'app', version_ref: id });
    expect(await readFile(join(folder, 'app/sub/file'), 'utf8').catch(() => 'absent')).toBe('absent');
    expect(await inClone('rev-parse', 'HEAD')).toBe(id);
  });

  test.each(['', '../up', '/abs', 'a/../../b', '-x', '.', '..', '.git', 'a/.git/hooks', './a'])(
    'refuses %j as a folder',
    async (name) => {
      const id = await commit('one');
      const outcome = await run(pull, { param_url: origin, param_name: name, version_ref: id });
      expect(outcome).toMatchObject({
        code: 1,
        stderr: `git: '${name}' cannot be the name of a folder to clone into\n`,
      });
    },
  );

  test.each(['', 'main', '--help', 'abc;touch x', 'HEAD'])('refuses %j as a version', async (ref) => {
    await commit('one');
    const outcome = await run(pull, { param_url: origin, param_name: 'app', version_ref: ref });
    expect(outcome).toMatchObject({ code: 1, stderr: `git: '${ref}' is not a commit\n` });
  });

  test('does not clone over something', async () => {
    const id = await commit('one');
    await mkdir(join(folder, 'app'));
    const outcome = await run(pull, { param_url: origin, param_name: 'app', version_ref: id });
    expect(outcome).toMatchObject({ code: 1, stderr: "git: 'app' exists already\n" });
  });

  test('fills a cache and gets along with a broken one', async () => {
    const cache = join(root, 'cache');
    await mkdir(cache);
    const id = await commit('one');
    const cached = { param_url: httpUrl, version_ref: id, CACHE_DIR: cache };
    await run(pull, { ...cached, param_name: 'a' });
    expect(await git('-C', join(cache, 'mirror.git'), 'rev-parse', 'main')).toBe(id);
    await run(pull, { ...cached, param_name: 'b' });
    await rm(join(cache, 'mirror.git/objects'), { recursive: true });
    const outcome = await run(pull, { ...cached, param_name: 'c' });
    expect(outcome.stderr).toContain('made anew next time');
    await rm(cache, { recursive: true });
    for (const clone of ['a', 'b', 'c']) {
      expect(await git('-C', join(folder, clone), 'rev-parse', 'HEAD')).toBe(id);
      expect(await git('-C', join(folder, clone), 'fsck')).toBe('');
    }
  });
});

async function change(): Promise<string> {
  await inClone('commit', '-q', '--allow-empty', '-m', 'made by the build');
  return inClone('rev-parse', 'HEAD');
}

describe('push', () => {
  const params = { param_name: 'app' };
  const clone = async (id: string): Promise<void> => {
    await run(pull, { ...params, param_url: origin, version_ref: id });
  };

  test('brings a new commit to the default branch and prints the version', async () => {
    await clone(await commit('one'));
    const id = await change();
    const outcome = await run(push, { ...params, param_url: httpUrl });
    expect(outcome).toMatchObject({ code: 0, stdout: `{"ref":"${id}"}\n` });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test.each(['release/1', 'a"quote'])('makes the branch %j when it is not there', async (branch) => {
    await clone(await commit('one'));
    const id = await change();
    await run(push, { ...params, param_url: origin, param_branch: branch });
    expect(await git('-C', origin, 'rev-parse', `refs/heads/${branch}`)).toBe(id);
  });

  test('fails when the branch went another way, and changes nothing', async () => {
    await clone(await commit('one'));
    await change();
    const theirs = await commit('two');
    const outcome = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toBe('');
    expect(await git('-C', origin, 'for-each-ref', '--format=%(objectname) %(refname)')).toBe(
      `${theirs} refs/heads/main`,
    );
  });

  test('with tag puts a tag on an older commit without touching the branch', async () => {
    const id = await commit('one');
    await clone(id);
    const tip = await commit('two');
    const outcome = await run(push, { ...params, param_url: httpUrl, put_tag: 'v1.0"x' });
    expect(JSON.parse(outcome.stdout)).toEqual({ ref: id });
    expect(await git('-C', origin, 'rev-parse', 'refs/tags/v1.0"x')).toBe(id);
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(tip);
  });

  test('does no harm when it runs twice', async () => {
    await clone(await commit('one'));
    await change();
    const first = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(await run(push, { ...params, param_url: origin, put_tag: 'v1' })).toEqual({
      ...first,
      stderr: '',
    });
  });

  test('finds its own annotated tag of before', async () => {
    const id = await commit('one');
    await clone(id);
    await git('-C', origin, 'tag', '-a', '-m', 'release', 'v1', id);
    expect(await run(push, { ...params, param_url: origin, put_tag: 'v1' })).toMatchObject({ code: 0 });
  });

  test('of a shallow clone brings its commit', async () => {
    await commit('one');
    await commit('two');
    await git('clone', '-q', '--depth=1', `file://${origin}`, join(folder, 'app'));
    const id = await change();
    expect(await run(push, { ...params, param_url: origin })).toMatchObject({ code: 0 });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test('works from a work tree, and from objects that lie elsewhere', async () => {
    await commit('one');
    await git('clone', '-q', origin, join(root, 'main'));
    await git('clone', '-q', '--shared', join(root, 'main'), join(root, 'shared'));
    await git('-C', join(root, 'shared'), 'worktree', 'add', '-q', join(folder, 'app'));
    const id = await change();
    expect(await run(push, { ...params, param_url: origin, param_branch: 'main' })).toMatchObject({
      code: 0,
    });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test('refuses to move a tag', async () => {
    const id = await commit('one');
    await git('-C', origin, 'tag', 'v1', id);
    await clone(await commit('two'));
    const outcome = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `git: the tag 'v1' exists already, at ${id}\n`,
    });
  });

  test.each(HOSTILE_REFS)('refuses %j as a tag', async (tag) => {
    await clone(await commit('one'));
    const outcome = await run(push, { ...params, param_url: origin, put_tag: tag });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(await git('-C', origin, 'tag')).toBe('');
  });

  test('fails when nothing was cloned', async () => {
    await commit('one');
    const outcome = await run(push, { ...params, param_url: origin });
    expect(outcome.stderr).toBe(
      "git: there is no folder 'app': get the resource in this job before the put\n",
    );
  });

  test('fails on a clone without a commit', async () => {
    await git('clone', '-q', origin, join(folder, 'app'));
    const outcome = await run(push, { ...params, param_url: origin });
    expect(outcome).toMatchObject({ code: 1, stderr: "git: 'app' has no commit to push\n" });
  });
});
