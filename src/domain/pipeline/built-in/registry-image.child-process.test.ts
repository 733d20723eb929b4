import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RegistryProcess } from '#testing/process/registry-process.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { craneBinary } from '#tools/images/push.ts';
import { check, pull } from './registry-image.ts';

let registry: RegistryProcess;
let crane = '';
let images = '';
let work = '';

const execute = promisify(execFile);
const runCrane = async (...args: string[]): Promise<string> => (await execute(crane, args)).stdout.trim();
const digestOf = (name: string): Promise<string> => runCrane('digest', `${registry.open}/${name}`);

/** Pushes an image with this text in its only layer, and returns its digest. */
async function pushImage(name: string, text: string): Promise<string> {
  const folder = join(images, 'content');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'file'), text);
  await execute('tar', ['-cf', join(images, 'layer.tar'), '-C', folder, 'file']);
  await runCrane(
    'append',
    '--oci-empty-base',
    '-f',
    join(images, 'layer.tar'),
    '-t',
    `${registry.open}/${name}`,
  );
  return await digestOf(name);
}

beforeAll(async () => {
  crane = await craneBinary();
  registry = await RegistryProcess.start();
  images = await mkdtemp(join(tmpdir(), 'millrace-images-'));
  for (const tag of ['1.0.0', '1.2.0', '1.2', 'v1.3.0', '1.10.0', '2.0.0-rc.1', '2.0.0', 'latest'])
    await pushImage(`team/app:${tag}`, tag);
  for (const architecture of ['amd64', 'arm64']) {
    const image = `${registry.open}/team/multi:${architecture}`;
    await pushImage(`team/multi:${architecture}`, architecture);
    await runCrane('mutate', '--set-platform', `linux/${architecture}`, '-t', image, image);
  }
  const manifests = ['amd64', 'arm64'].flatMap((tag) => ['-m', `${registry.open}/team/multi:${tag}`]);
  await runCrane('index', 'append', ...manifests, '-t', `${registry.open}/team/multi:1`);
}, 600_000);
afterAll(async () => {
  await registry.stop();
  await rm(images, { recursive: true });
});
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-registry-'));
  registry.rules = {};
  registry.requests = [];
});
afterEach(async () => await rm(work, { recursive: true }));

const run = (script: string, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(script, work, { param_repository: `${registry.host}/team/app`, ...variables });

async function versionsOf(
  variables: Record<string, string> = {},
): Promise<{ tag: string; digest: string }[]> {
  const { code, stdout, stderr } = await run(check, variables);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
const tagsOf = async (variables: Record<string, string>): Promise<string[]> =>
  (await versionsOf(variables)).map(({ tag }) => tag);

describe('a check of a tag', () => {
  test('prints the digest of latest, without getting the manifest', async () => {
    expect(await versionsOf()).toEqual([{ digest: await digestOf('team/app:latest'), tag: 'latest' }]);
    expect(registry.requests).toEqual(['HEAD manifests/latest']);
  });

  test('prints the digest of the index of an image for several platforms', async () => {
    const version = await versionsOf({ param_repository: `${registry.host}/team/multi`, param_tag: '1' });
    expect(version).toEqual([{ digest: await digestOf('team/multi:1'), tag: '1' }]);
  });

  test('prints no version of a tag that nobody has pushed yet, and says so', async () => {
    expect(await run(check, { param_tag: 'next' })).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: 'the registry has no team/app:next yet\n',
    });
  });
});

describe('a check of a constraint', () => {
  test('prints only the highest version first, then each higher one in order', async () => {
    expect(await tagsOf({ param_semver: '>=1.0 <2' })).toEqual(['1.10.0']);
    expect(await tagsOf({ param_semver: '>=1.0 <2', version_tag: '1.0.0' })).toEqual([
      '1.0.0',
      '1.2.0',
      'v1.3.0',
      '1.10.0',
    ]);
  });

  test('prints the digest of each tag', async () => {
    expect(await versionsOf({ param_semver: '1.x' })).toEqual([
      { digest: await digestOf('team/app:1.10.0'), tag: '1.10.0' },
    ]);
  });

  test('prints prereleases on request', async () => {
    expect(await tagsOf({ param_semver: '*', version_tag: '1.10.0' })).toEqual(['1.10.0', '2.0.0']);
    expect(await tagsOf({ param_semver: '*', version_tag: '1.10.0', param_prereleases: 'true' })).toEqual([
      '1.10.0',
      '2.0.0-rc.1',
      '2.0.0',
    ]);
  });

  test('prints the known tag with its current digest', async () => {
    await pushImage('team/moved:1.0.0', 'first');
    const before = {
      param_repository: `${registry.host}/team/moved`,
      param_semver: '1',
      version_tag: '1.0.0',
    };
    const moved = await pushImage('team/moved:1.0.0', 'second');
    expect(await versionsOf(before)).toEqual([{ digest: moved, tag: '1.0.0' }]);
  });

  test('reads all pages of tags', async () => {
    registry.rules = { pageSize: 3 };
    expect(await tagsOf({ param_semver: '^1.2', version_tag: '1.0.0' })).toEqual([
      '1.2.0',
      'v1.3.0',
      '1.10.0',
    ]);
    expect(registry.requests.filter((request) => request === 'GET tags/list')).toHaveLength(3);
  });

  test.each(['what', '1 < 2 foo'])('refuses %j', async (semver) => {
    const end = await run(check, { param_semver: semver });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('is not a constraint such as');
  });
});

const CREDENTIAL = { username: 'robot', password: String.raw`pass "word"\1` };
const LOGIN = { param_username: CREDENTIAL.username, param_password: CREDENTIAL.password };

describe('a registry with a login', () => {
  test('gets the password', async () => {
    registry.rules = { login: 'basic', credential: CREDENTIAL };
    expect(await versionsOf(LOGIN)).toHaveLength(1);
  });

  test('gets a token for the repository, which its own service issues for the password', async () => {
    registry.rules = { login: 'token', credential: CREDENTIAL };
    expect(await versionsOf({ ...LOGIN, param_semver: '1' })).toHaveLength(1);
    expect(registry.requests).toEqual([
      'GET tags/list',
      'TOKEN repository:team/app:pull',
      'GET tags/list',
      'HEAD manifests/1.10.0',
    ]);
  });

  test('gets a token without a password if it is public', async () => {
    registry.rules = { login: 'token' };
    expect(await versionsOf()).toHaveLength(1);
  });

  test.each<[string, string]>([
    ['Basic realm="x", Bearer realm="http://HOST/token" , service="registry.test"', 'several challenges'],
    ['Bearer service=registry.test,realm="http://HOST/t\\oken"', 'escapes and values without quotes'],
  ])('may send the challenge %s: %s', async (challenge) => {
    registry.rules = { login: 'token', credential: CREDENTIAL, challenge };
    expect(await versionsOf(LOGIN)).toHaveLength(1);
  });

  test.each([
    ['Bearer realm="ftp://HOST/token",service="registry.test"', 'no valid https:// address'],
    ['Bearer realm="https://user@HOST/token"', 'no valid https:// address'],
    ['Bearer realm="http://HOST/token",service="other"', 'refuses'],
    ['Negotiate', 'refuses'],
    ['', 'refuses'],
  ])('is refused with the challenge %s', async (challenge, reason) => {
    registry.rules = { login: 'token', credential: CREDENTIAL, challenge };
    const end = await run(check, LOGIN);
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain(reason);
  });

  test.each([
    [{}, 'wants a login for team/app: set username and password'],
    [{ param_username: 'robot', param_password: 'wrong' }, 'refuses team/app:latest with these credentials'],
    [{ param_username: 'robot' }, 'the username needs a password too'],
  ])('refuses the credentials %j in plain words', async (login, reason) => {
    for (const kind of ['basic', 'token'] as const) {
      registry.rules = { login: kind, credential: CREDENTIAL };
      const end = await run(check, login);
      expect(end).toMatchObject({ code: 1, stdout: '' });
      expect(end.stderr).toContain(reason);
    }
  });
});

test.each([
  [429, { 'retry-after': '900' }, 'allows no more requests for now, until 900 seconds have passed'],
  [403, {}, 'wants a login for team/app'],
  [418, {}, 'answered team/app:latest with status 418 (short)'],
])('a check explains the status %i of the registry', async (status, headers, reason) => {
  registry.rules = { fails: { status, headers, body: '{"errors":[{"message":"short"}]}' } };
  const end = await run(check);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toContain(reason);
});

test.each([
  [{ param_repository: 'registry.invalid/app' }, 'the registry registry.invalid has no known address'],
  [{ param_repository: 'localhost:1/app' }, 'the registry localhost:1 refuses connections'],
  [{ param_repository: 'a/../b' }, 'cannot be the name of a repository'],
  [{ param_repository: 'a b' }, 'cannot be the name of a repository'],
  [{ param_repository: 'x.org/app:1' }, 'has a tag or a digest: use the parameter tag'],
  [{ param_repository: 'x.org/app\nurl = "file:///etc/passwd"' }, 'has a tag'],
  [{ param_tag: '-x' }, 'cannot be a tag'],
  [{ param_tag: 'a\nb' }, 'cannot be a tag'],
  [{ param_insecure: 'yes' }, 'insecure must be true or false'],
  [{ param_tag: '1', param_semver: '1' }, 'tag and semver cannot be used together'],
])('a check refuses the parameters %j', async (variables, reason) => {
  const end = await run(check, variables);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toContain(reason);
});

test('plain HTTP needs insecure = true, unless the registry is on this machine', async () => {
  const elsewhere = `0.0.0.0:${registry.host.split(':')[1]}/team/app`;
  const encrypted = await run(check, { param_repository: elsewhere });
  expect(encrypted.stderr).toContain('does not speak TLS: insecure = true allows plain HTTP');
  expect(registry.requests).toEqual([]);
  expect(await run(check, { param_repository: elsewhere, param_insecure: 'true' })).toMatchObject({
    code: 0,
  });
});

const get = async (name: string, tag: string, more: Record<string, string> = {}): Promise<ScriptEnd> =>
  await run(pull, {
    param_repository: `${registry.host}/team/${name}`,
    version_tag: tag,
    version_digest: await digestOf(`team/${name}:${tag}`),
    ...more,
  });
const read = (path: string): string => readFileSync(join(work, path), 'utf8');

const descriptor = (): Record<string, unknown> => JSON.parse(read('image/image/index.json')).manifests[0];

describe('a get', () => {
  test('writes repository, tag and digest, and sends no request to the registry', async () => {
    expect(await get('app', '1.0.0')).toMatchObject({ code: 0 });
    expect([read('app/repository'), read('app/tag'), read('app/digest')]).toEqual([
      `${registry.host}/team/app\n`,
      '1.0.0\n',
      `${await digestOf('team/app:1.0.0')}\n`,
    ]);
    expect([existsSync(join(work, 'app/image')), registry.requests]).toEqual([false, []]);
  });

  test('writes an OCI layout that other tools read', async () => {
    expect(await get('app', '1.0.0', { param_format: 'oci', param_name: 'image' })).toMatchObject({
      code: 0,
    });
    await runCrane('push', join(work, 'image/image'), `${registry.open}/team/copy:1`);
    expect(await digestOf('team/copy:1')).toBe(await digestOf('team/app:1.0.0'));
  });

  test('writes an archive that other tools read', async () => {
    expect(await get('app', '1.0.0', { param_format: 'tar', param_name: 'a/b' })).toMatchObject({ code: 0 });
    await runCrane('validate', '--tarball', join(work, 'a/b/image.tar'));
  });

  test.each([
    ['linux/arm64', 'multi:arm64'],
    ['linux/amd64', 'multi:amd64'],
    ['all', 'multi:1'],
  ])('writes the image for %s', async (platform, name) => {
    const parameters = { param_format: 'oci', param_platform: platform, param_name: 'image' };
    expect(await get('multi', '1', parameters)).toMatchObject({ code: 0 });
    expect(descriptor()['digest']).toBe(await digestOf(`team/${name}`));
    expect(read('image/digest').trim()).toBe(await digestOf('team/multi:1'));
    await runCrane('push', '--index', join(work, 'image/image'), `${registry.open}/team/copy:2`);
  });

  test.each([
    [{ param_format: 'oci', param_platform: 'linux/s390x' }, 'team/multi:1 has no image for linux/s390x'],
    [{ param_format: 'tar', param_platform: 'all' }, 'the format tar needs one platform'],
    [{ param_format: 'rootfs' }, "the format 'rootfs' is none of digest, oci and tar"],
    [{ param_name: '../x' }, "name '../x' is not in the working directory"],
    [
      { version_digest: `sha256:${'0'.repeat(64)}`, param_format: 'oci' },
      'does not have team/multi@sha256:0',
    ],
  ])('fails with %j', async (parameters, reason) => {
    const end = await get('multi', '1', parameters);
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain(reason);
  });
});
