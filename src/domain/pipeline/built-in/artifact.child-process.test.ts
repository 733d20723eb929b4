import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { S3Server } from '#testing/process/s3-server.ts';
import { volumeFolder } from '#testing/process/volume-folder.ts';
import { check, pull, push } from './artifact.ts';

let store: S3Server;
beforeAll(async () => {
  store = await S3Server.start();
}, 600_000);
afterAll(async () => await store.stop());

let work = '';
let volume = '';
beforeEach(async () => {
  volume = await volumeFolder();
  work = await mkdtemp(join(tmpdir(), 'millrace-artifact-'));
  await mkdir(join(work, 'out/deep'), { recursive: true });
  await writeFile(join(work, 'out/deep/file'), 'content');
});
afterEach(async () => {
  for (const folder of [work, volume]) await rm(folder, { recursive: true });
  await store.empty();
});

/** A volume or bucket for artifacts, and what the tests read and break there. */
interface Place {
  parameters: () => Record<string, string>;
  stored: () => Promise<string[]>;
  damage: (name: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
  lose: () => Promise<void>;
}

const VOLUME: Place = {
  parameters: () => ({ base_dir: `${volume}/a "b"/c` }),
  stored: async () => {
    const entries = await readdir(`${volume}/a "b"/c`, { recursive: true }).catch(() => []);
    return entries.filter((name) => name !== 'index').toSorted();
  },
  damage: async (name) => await writeFile(`${volume}/a "b"/c/${name}`, 'x'),
  remove: async (name) => await rm(`${volume}/a "b"/c/${name}`),
  lose: async () => await rm(`${volume}/a "b"`, { recursive: true }),
};
const STORE: Place = {
  parameters: () => ({ ...store.parameters, prefix: 'team-blue/out/' }),
  stored: async () => (await store.keys()).map((key) => key.replace('team-blue/out/', '')),
  damage: async (name) => await store.overwrite(`team-blue/out/${name}`, 'x'),
  remove: async (name) => await store.remove(`team-blue/out/${name}`),
  lose: async () => await store.empty(),
};
const PLACES: [string, Place][] = [
  ['on a volume', VOLUME],
  ['in a bucket', STORE],
];

const run = (
  script: string,
  parameters: Record<string, string>,
  variables: Record<string, string>,
): Promise<ScriptEnd> =>
  runScript(script, work, {
    ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`param_${name}`, value])),
    ...variables,
  });
const put = (place: Place, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  run(push, place.parameters(), { put_dir: 'out', ...variables });
const get = (place: Place, hash: string, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  run(pull, place.parameters(), { version_hash: hash, ...variables });

async function hashOf(end: Promise<ScriptEnd>): Promise<string> {
  const { code, stdout, stderr } = await end;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).hash;
}

/** Hashes that a check prints, oldest first. */
async function checkedHashes(place: Place, last?: string): Promise<string[]> {
  const { code, stdout, stderr } = await run(
    check,
    place.parameters(),
    last === undefined ? {} : { version_hash: last },
  );
  if (code !== 0) throw new Error(stderr);
  const versions: { hash: string }[] = JSON.parse(stdout);
  return versions.map(({ hash }) => hash);
}

/** Puts a folder with one file of this content. Returns the hash of the version. */
async function putText(place: Place, text: string): Promise<string> {
  await writeFile(join(work, 'out/deep/file'), text);
  return await hashOf(put(place));
}

describe.each(PLACES)('an artifact %s', (_place, place) => {
  test('is stored once for equal files, whenever they were written', async () => {
    const first = await hashOf(put(place));
    await utimes(join(work, 'out/deep/file'), 5, 5);
    expect(await hashOf(put(place))).toBe(first);
    expect(await place.stored()).toEqual([
      `${first}.tar.gz`,
      expect.stringMatching(new RegExp(String.raw`^index/\d{13}-${first}$`)),
    ]);
    expect(await putText(place, 'other')).not.toBe(first);
    expect(await place.stored()).toHaveLength(4);
  });

  test('is restored into the given directory, or the working directory', async () => {
    await chmod(join(work, 'out/deep/file'), 0o755);
    const hash = await hashOf(put(place));
    expect(await get(place, hash, { param_dir: 'in/here' })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(join(work, 'in/here/deep/file'), 'utf8')).toBe('content');
    await get(place, hash);
    expect(await readFile(join(work, 'deep/file'), 'utf8')).toBe('content');
  });

  test('is found by checks in the order of the puts', async () => {
    expect(await checkedHashes(place)).toEqual([]);
    const hashes: string[] = [];
    for (const text of ['1', '2', '3']) hashes.push(await putText(place, text));
    expect(await checkedHashes(place)).toEqual(hashes.slice(2));
    expect(await checkedHashes(place, hashes[0])).toEqual(hashes.slice(1));
    expect(await checkedHashes(place, hashes[2])).toEqual([]);
    expect(await putText(place, '1')).toBe(hashes[0]);
    expect(await checkedHashes(place, hashes[2])).toEqual([hashes[0]]);
  });

  test('is not found by checks if its archive is gone, until it is put again', async () => {
    const [first, second, third] = [
      await putText(place, '1'),
      await putText(place, '2'),
      await putText(place, '3'),
    ];
    await place.remove(`${third}.tar.gz`);
    expect(await checkedHashes(place)).toEqual([second]);
    expect(await checkedHashes(place, first)).toEqual([second]);
    expect(await checkedHashes(place, third)).toEqual([]);
    expect(await putText(place, '3')).toBe(third);
    expect(await checkedHashes(place, first)).toEqual([second, third]);
    for (const hash of [first, second, third]) await place.remove(`${hash}.tar.gz`);
    expect(await checkedHashes(place)).toEqual([]);
  });

  test('is not restored if it is damaged or gone', async () => {
    const hash = await hashOf(put(place));
    await place.damage(`${hash}.tar.gz`);
    expect(await get(place, hash)).toMatchObject({
      code: 1,
      stderr: `artifact: the archive ${hash} is damaged\n`,
    });
    await place.lose();
    expect((await get(place, hash)).stderr).toContain('any more');
    expect(await readdir(work)).toEqual(['out']);
  });

  test('is refused by puts and gets if it is larger than the limit', async () => {
    const limit = { param_max_size_mb: '1' };
    const hash = await hashOf(put(place));
    await writeFile(join(work, 'out/large'), Buffer.alloc(1_500_000));
    const large = await hashOf(put(place));
    const stored = await place.stored();
    const why = 'artifact: the files have more than 1 MB, the limit of the resource (max_size_mb)\n';
    expect(await put(place, limit)).toMatchObject({ code: 1, stdout: '', stderr: why });
    expect(await get(place, large, limit)).toMatchObject({ code: 1, stderr: why });
    expect(await get(place, hash, limit)).toMatchObject({ code: 0 });
    expect(await place.stored()).toEqual(stored);
  });

  test.each(['', '/etc', '../out', 'a/../../b', 'none', 'link'])(
    'is not made of the directory %j, and nothing is stored',
    async (dir) => {
      await symlink('/etc', join(work, 'link'));
      const end = await put(place, { put_dir: dir });
      expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^artifact: /) });
      expect(await place.stored()).toEqual([]);
    },
  );

  test.each(['', '../x', 'ABC', 'a'.repeat(63)])('is not restored for the version %j', async (hash) => {
    const stderr = `artifact: '${hash}' is not the hash of an archive\n`;
    expect(await get(place, hash)).toMatchObject({ code: 1, stderr });
  });

  test.each(['../x', '/tmp/x', 'link/x'])('is not restored to %j', async (dir) => {
    await symlink('/tmp', join(work, 'link'));
    expect(await get(place, 'a'.repeat(64), { param_dir: dir })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`dir '${dir}'`),
    });
  });
});

describe('the store', () => {
  test('refuses wrong credentials, and the script reports the answer without the credentials', async () => {
    const wrong = { ...STORE.parameters(), secret_access_key: 'wrong-secret' };
    const end = await run(push, wrong, { put_dir: 'out' });
    expect(end).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'artifact: storing the archive: the store answered 403 (SignatureDoesNotMatch)\n',
    });
    expect((await run(check, wrong, {})).stderr).toContain('403 (SignatureDoesNotMatch)');
  });

  test('is reported as the cause if it lacks the bucket or cannot be reached', async () => {
    const missing = { ...STORE.parameters(), bucket: 'no-such-bucket' };
    expect((await run(check, missing, {})).stderr).toContain('the store answered 404 (NoSuchBucket)');
    const unreachable = { ...STORE.parameters(), endpoint: 'http://127.0.0.1:9' };
    expect((await run(pull, unreachable, { version_hash: 'a'.repeat(64) })).stderr).toContain(
      'fetching the archive: the store at http://127.0.0.1:9 cannot be reached',
    );
  });

  test('gets credentials that are in no argument of a process', async () => {
    const spied = push.replace(' | curl ', ' | recorded_curl ');
    const spy = `recorded_curl() { printf '%s\\n' "$*" >>"$start/arguments"; curl "$@"; }\n`;
    const end = await run(`${spy}${spied}`, STORE.parameters(), { put_dir: 'out' });
    expect(end.code).toBe(0);
    const seen = await readFile(join(work, 'arguments'), 'utf8');
    expect(seen).toContain('aws:amz:us-east-1:s3');
    expect(seen).not.toContain(store.parameters['secret_access_key']);
    expect(seen).not.toContain(store.parameters['access_key_id']);
  });

  test.each([
    [{ endpoint: 'ftp://host' }, 'the endpoint is not https://<host> or http://<host>'],
    [{ endpoint: 'https://host/path' }, 'the endpoint is not'],
    [{ endpoint: 'https://user@host' }, 'the endpoint is not'],
    [{ endpoint: '' }, 'the endpoint is not'],
    [{ bucket: 'A/b' }, "'A/b' cannot be the name of a bucket"],
    [{ region: 'a:b' }, "'a:b' cannot be the name of a region"],
    [{ prefix: 'a/../b' }, "the prefix 'a/../b' has"],
    [{ prefix: 'a b' }, "the prefix 'a b' has"],
    [{ secret_access_key: '' }, 'the store needs access_key_id and secret_access_key'],
    [{ secret_access_key: 'a\nurl = "http://evil"' }, 'the credentials have characters that are not allowed'],
    [{ max_size_mb: '0' }, "max_size_mb '0' is not a number from 1 to 5000"],
    [{ max_size_mb: 'x' }, "max_size_mb 'x' is not a number from 1 to 5000"],
    [{ base_dir: '/srv/x' }, 'the resource has both base_dir and bucket'],
  ])('is not contacted with the parameters %j', async (bad, why) => {
    const end = await run(check, { ...STORE.parameters(), ...bad }, {});
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(why) });
  });
});

describe('a folder on a volume', () => {
  test('has one entry for each archive, and none for an archive that is gone', async () => {
    const index = `${volume}/a "b"/c/index`;
    const first = await putText(VOLUME, '1');
    await writeFile(`${index}/notes`, 'of a person');
    await writeFile(`${index}/more-notes`, 'of a person');
    const second = await putText(VOLUME, '2');
    for (const text of ['1', '2', '1', '2', '3', '1', '2']) await putText(VOLUME, text);
    const third = await putText(VOLUME, '3');
    await VOLUME.remove(`${first}.tar.gz`);
    const fourth = await putText(VOLUME, '4');
    const names = (await readdir(index)).toSorted();
    const entries = names.filter((name) => !name.endsWith('notes'));
    expect(entries.map((name) => name.replace(/^\d{13}-/, ''))).toEqual([fourth, third, second]);
    expect(names).toHaveLength(5);
    expect(await checkedHashes(VOLUME, second)).toEqual([third, fourth]);
  });

  test('sets the time of an archive to that of its last put', async () => {
    const hash = await putText(VOLUME, '1');
    const archive = `${volume}/a "b"/c/${hash}.tar.gz`;
    await utimes(archive, 5, 5);
    await putText(VOLUME, '1');
    expect((await stat(archive)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  });

  test.each([
    ['relative', 'is not absolute'],
    ['/srv/../etc', 'has a part that is empty, . or ..'],
    ['/no/such/volume', 'is not on a volume'],
  ])('cannot be %j', async (base, why) => {
    const end = await run(push, { base_dir: base }, { put_dir: 'out' });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
  });

  test('is necessary if there is no bucket', async () => {
    expect((await run(push, {}, { put_dir: 'out' })).stderr).toContain('the resource needs base_dir');
  });
});
