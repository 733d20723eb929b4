import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { RegistryProcess } from '#testing/process/registry-process.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { craneBinary } from '#tools/images/push.ts';
import { push } from './registry-push.ts';

let registry: RegistryProcess;
let crane = '';
let work = '';
let repositoryCount = 0;
let repository = '';

const execute = promisify(execFile);
const runCrane = async (...args: string[]): Promise<string> => (await execute(crane, args)).stdout.trim();
const digestOf = (name: string): Promise<string> => runCrane('digest', `${registry.open}/${name}`);

beforeAll(async () => {
  crane = await craneBinary();
  registry = await RegistryProcess.start();
}, 600_000);
afterAll(async () => await registry.stop());
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-push-'));
  repositoryCount += 1;
  repository = `team/pushed-${repositoryCount}`;
  registry.rules = {};
  registry.requests = [];
});
afterEach(async () => await rm(work, { recursive: true }));

/**
 * Creates an archive as `docker save` writes it. This function and those like it return the value of the
 * parameter `image`.
 */
async function createArchive(text = 'hello'): Promise<string> {
  writeFileSync(join(work, 'file'), text);
  await execute('tar', ['-cf', join(work, 'layer.tar'), '-C', work, 'file']);
  await runCrane(
    'append',
    '--oci-empty-base',
    '-f',
    join(work, 'layer.tar'),
    '-t',
    'app:1',
    '-o',
    join(work, 'image.tar'),
  );
  return 'image.tar';
}

/** Creates an OCI layout of an index with images for two platforms. */
async function createLayout(): Promise<string> {
  await createArchive();
  const prepared = `${registry.open}/prepared/${repositoryCount}`;
  for (const architecture of ['amd64', 'arm64']) {
    await runCrane('push', join(work, 'image.tar'), `${prepared}:${architecture}`);
    await runCrane(
      'mutate',
      '--set-platform',
      `linux/${architecture}`,
      '-t',
      `${prepared}:${architecture}`,
      `${prepared}:${architecture}`,
    );
  }
  await runCrane(
    'index',
    'append',
    '-m',
    `${prepared}:amd64`,
    '-m',
    `${prepared}:arm64`,
    '-t',
    `${prepared}:all`,
  );
  await runCrane('pull', '--format=oci', `${prepared}:all`, join(work, 'layout'));
  return 'layout';
}

const put = (image: string, more: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(push, work, { param_repository: `${registry.host}/${repository}`, put_image: image, ...more });

async function versionOf(end: Promise<ScriptEnd>): Promise<{ digest: string; tag: string }> {
  const { code, stdout, stderr } = await end;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test('an archive of docker save is pushed, compressed, under all its tags', async () => {
  const tags = { put_tag: '1.2.3', put_additional_tags: '1.2, latest' };
  const version = await versionOf(put(await createArchive(), tags));
  expect(version).toEqual({ digest: await digestOf(`${repository}:1.2.3`), tag: '1.2.3' });
  expect([await digestOf(`${repository}:1.2`), await digestOf(`${repository}:latest`)]).toEqual([
    version.digest,
    version.digest,
  ]);
  await runCrane('validate', '--remote', `${registry.open}/${repository}:latest`);
});

test('an archive with layers that are not compressed is pushed', async () => {
  await createArchive();
  const parts = join(work, 'parts');
  mkdirSync(parts);
  await execute('tar', ['-xf', join(work, 'image.tar'), '-C', parts]);
  const [{ Config, Layers }]: [{ Config: string; Layers: string[] }] = JSON.parse(
    readFileSync(join(parts, 'manifest.json'), 'utf8'),
  );
  await execute(
    'sh',
    ['-ec', `gzip -dc ${Layers[0]} >layer.tar; rm ${Layers[0]}; mv '${Config}' config.json`],
    { cwd: parts },
  );
  writeFileSync(
    join(parts, 'manifest.json'),
    JSON.stringify([{ Config: 'config.json', Layers: ['layer.tar'] }]),
  );
  await execute('tar', ['-cf', join(work, 'plain.tar'), '-C', parts, '.']);
  const first = await versionOf(put('plain.tar'));
  expect(await versionOf(put('plain.tar'))).toEqual(first);
  await runCrane('validate', '--remote', `${registry.open}/${repository}:latest`);
});

test('an OCI layout is pushed with all its platforms, and keeps its digest', async () => {
  const version = await versionOf(put(await createLayout(), { param_tag: 'all' }));
  expect(version).toEqual({ digest: await digestOf(`prepared/${repositoryCount}:all`), tag: 'all' });
  await runCrane('validate', '--remote', `${registry.open}/${repository}:all`);
});

test('an archive of an OCI layout is pushed', async () => {
  await createLayout();
  await execute('tar', ['-cf', join(work, 'oci.tar'), '-C', join(work, 'layout'), '.']);
  const { digest } = await versionOf(put('oci.tar'));
  expect(digest).toBe(await digestOf(`prepared/${repositoryCount}:all`));
});

test('a repeated put uploads no layer again, and prints the same version', async () => {
  const image = await createArchive();
  const first = await versionOf(put(image));
  registry.requests = [];
  expect(await versionOf(put(image))).toEqual(first);
  expect(registry.requests.filter((request) => /^(?:POST|PUT)/.test(request))).toEqual([
    'PUT manifests/latest',
  ]);
});

const CREDENTIAL = { username: 'robot', password: String.raw`pass "word"\1` };
const LOGIN = { param_username: CREDENTIAL.username, param_password: CREDENTIAL.password };

test.each(['basic', 'token'] as const)('a put logs in to a registry with the login %s', async (login) => {
  registry.rules = { login, credential: CREDENTIAL };
  await versionOf(put(await createArchive(), LOGIN));
  const tokens = registry.requests.filter((request) => request.startsWith('TOKEN'));
  expect(tokens).toEqual(login === 'token' ? [`TOKEN repository:${repository}:pull,push`] : []);
  const end = await put('image.tar');
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toContain('wants a login');
});

async function createDamagedLayout(): Promise<string> {
  const image = await createLayout();
  const blobs = join(work, image, 'blobs/sha256');
  const index = JSON.parse(readFileSync(join(work, image, 'index.json'), 'utf8'));
  const root: string = index.manifests[0].digest;
  appendFileSync(join(blobs, root.slice('sha256:'.length)), ' ');
  return image;
}

/** Creates a layout whose configuration is missing in the layout and in the registry. */
function createIncompleteLayout(): string {
  const manifest = JSON.stringify({ config: { digest: `sha256:${'0'.repeat(64)}`, size: 1 }, layers: [] });
  const hash = createHash('sha256').update(manifest).digest('hex');
  mkdirSync(join(work, 'layout/blobs/sha256'), { recursive: true });
  writeFileSync(join(work, 'layout/blobs/sha256', hash), manifest);
  const root = { digest: `sha256:${hash}`, mediaType: 'application/vnd.oci.image.manifest.v1+json' };
  writeFileSync(join(work, 'layout/index.json'), JSON.stringify({ manifests: [root] }));
  return 'layout';
}

/**
 * Creates an archive that names this file as its configuration. The file `link` leads to a file of the
 * machine.
 */
async function createArchiveWithConfig(config: string): Promise<string> {
  const parts = join(work, 'parts');
  mkdirSync(parts);
  symlinkSync('/etc/hostname', join(parts, 'link'));
  writeFileSync(join(parts, 'manifest.json'), JSON.stringify([{ Config: config, Layers: [] }]));
  await execute('tar', ['-cf', join(work, 'evil.tar'), '-C', parts, '.']);
  return 'evil.tar';
}

const FAULTS: Record<string, [() => string | Promise<string>, Record<string, string>, string]> = {
  'an image whose manifest was changed': [createDamagedLayout, {}, 'is damaged'],
  'an image without its layers': [createIncompleteLayout, {}, 'lacks the file blobs/sha256/'],
  'an archive that names a file of the machine': [
    async () => await createArchiveWithConfig('../../../../etc/hostname'),
    {},
    'is not in',
  ],
  'an archive with a link to a file of the machine': [
    async () => await createArchiveWithConfig('link'),
    {},
    'is a link that leads out',
  ],
  'a path outside the working directory': [() => '../x', {}, "image '../x' is not in"],
  'no path': [() => '', {}, 'the put needs image'],
  'something that is not there': [() => 'none', {}, "there is no 'none'"],
  'a folder without an image': [
    () => {
      mkdirSync(join(work, 'empty'));
      return 'empty';
    },
    {},
    'neither an OCI layout nor',
  ],
  'a constraint without a tag': [createArchive, { param_semver: '1.x' }, 'the put needs tag'],
  'an invalid tag': [createArchive, { put_additional_tags: 'fine -x' }, 'cannot be a tag'],
};

test.each(Object.entries(FAULTS))(
  '%s is refused before anything is uploaded',
  async (_, [prepare, more, reason]) => {
    const image = await prepare();
    registry.requests = [];
    const end = await put(image, more);
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain(reason);
    expect(registry.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
  },
);
