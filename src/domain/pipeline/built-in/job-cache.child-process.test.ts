import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript } from '#testing/process/run-script.ts';
import { restoreScript, saveScript } from './job-cache.ts';

let root = '';
let work = '';
let cache = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-cache-'));
  cache = join(root, 'cache');
  mkdirSync(cache);
  beginBuild();
});
afterEach(() => rmSync(root, { recursive: true }));

/** Begins another build, with an empty working directory. */
function beginBuild(): void {
  work = mkdtempSync(join(root, 'work-'));
}

function write(file: string, text: string): void {
  mkdirSync(join(work, file, '..'), { recursive: true });
  writeFileSync(join(work, file), text);
}

const read = (file: string): string => readFileSync(join(work, file), 'utf8');

const variables = (key: string, prefix = '') => ({
  CACHE_DIR: cache,
  cache_path: 'app/deps',
  cache_key: key,
  cache_prefix: prefix,
});

async function run(script: string, key: string, prefix = ''): Promise<string> {
  const { code, stdout } = await runScript(script, work, variables(key, prefix));
  expect(code).toBe(0);
  return stdout.trim();
}

const save = (key: string): Promise<string> => run(saveScript, key);
const restore = (key: string, prefix?: string): Promise<string> => run(restoreScript, key, prefix);

const entries = (): string[] => readdirSync(cache);

/** Saves with a tar that fails with this message for as long as the volume has an entry. */
async function saveWithFailingTar(key: string, message: string): Promise<string> {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const isEmpty = `[ -z "$(ls '${cache}' | grep -v new)" ]`;
  const tar = `#!/bin/sh\nif ${isEmpty}; then exec /usr/bin/env -u PATH tar "$@"; fi\necho '${message}' >&2; exit 2\n`;
  writeFileSync(join(bin, 'tar'), tar, { mode: 0o755 });
  const PATH = `${bin}:${env['PATH'] ?? ''}`;
  const { stdout } = await runScript(saveScript, work, { ...variables(key), PATH });
  return stdout.trim();
}

describe('a cache of a job', () => {
  test('has the files of the build that saved the key, with their modes and links', async () => {
    write('app/deps/a b/x', 'one');
    write('app/deps/-f', 'two');
    expect(await save('npm-1')).toBe('Stored app/deps under the key npm-1.');
    beginBuild();
    expect(await restore('npm-1')).toBe('Restored app/deps from the key npm-1.');
    expect([read('app/deps/a b/x'), read('app/deps/-f')]).toEqual(['one', 'two']);
    expect(readdirSync(work)).toEqual(['app']);
  });

  test('has nothing for another key, unless the prefix matches stored keys: then the newest of them', async () => {
    write('app/deps/x', '1');
    await save('npm-1');
    write('app/deps/x', '2');
    await save('npm-2');
    beginBuild();
    expect(await restore('npm-3')).toBe('There is nothing for the key npm-3.');
    expect(await restore('go-3', 'go-')).toBe('There is nothing for the key go-3.');
    expect(await restore('npm-3', 'npm-')).toBe('Restored app/deps from the key npm-2.');
    expect(read('app/deps/x')).toBe('2');
  });

  test('is restored beside files that are there already', async () => {
    write('app/deps/x', 'cached');
    await save('a');
    beginBuild();
    write('app/deps/y', 'of the get');
    await restore('a');
    expect([read('app/deps/x'), read('app/deps/y')]).toEqual(['cached', 'of the get']);
  });

  test('is stored once for a key', async () => {
    write('app/deps/x', '1');
    await save('a');
    write('app/deps/x', '2');
    expect(await save('a')).toBe('The key a is stored already.');
    beginBuild();
    await restore('a');
    expect(read('app/deps/x')).toBe('1');
  });

  test('keeps the five newest keys', async () => {
    write('app/deps/x', '1');
    for (const key of ['1', '2', '3', '4', '5', '6', '7']) await save(key);
    expect(entries()).toHaveLength(5);
    expect(await restore('7')).toBe('Restored app/deps from the key 7.');
    expect(await restore('2')).toBe('There is nothing for the key 2.');
  });

  test('has no entry of a build that was killed while it saved', async () => {
    mkdirSync(join(cache, '.new-7'));
    writeFileSync(join(cache, '.new-7', 'files.tar'), 'half');
    expect(await restore('a', '')).toBe('There is nothing for the key a.');
    write('app/deps/x', '1');
    await save('a');
    expect(entries()).toHaveLength(1);
  });

  test('that cannot be read is removed, and leaves nothing behind', async () => {
    write('app/deps/x', '1');
    await save('a');
    const [entry = ''] = entries();
    const archive = join(cache, entry, 'files.tar');
    writeFileSync(archive, readFileSync(archive).subarray(0, 1025));
    beginBuild();
    expect(await restore('a')).toBe('The archive cannot be read, so it is removed.');
    expect([entries(), existsSync(join(work, 'app'))]).toEqual([[], false]);
  });

  test('that does not exist, or whose path does not exist, does not fail the build', async () => {
    expect(await save('a')).toBe('There is no app/deps to store.');
    rmSync(cache, { recursive: true });
    write('app/deps/x', '1');
    expect(await save('a')).toMatch(/^mkdir: .+\napp\/deps could not be stored\.$/);
    expect(await restore('a')).toBe('There is nothing for the key a.');
  });

  test('that is full makes room for the new files', async () => {
    write('app/deps/x', '1');
    await save('a');
    const message = 'tar: files.tar: Wrote only 4096 of 10240 bytes: No space left on device';
    expect(await saveWithFailingTar('b', message)).toBe('Stored app/deps under the key b.');
    expect(await restore('b')).toBe('Restored app/deps from the key b.');
    expect(entries()).toHaveLength(1);
  });

  test('that cannot be saved for another reason loses none of the other keys', async () => {
    write('app/deps/x', '1');
    await save('a');
    const message = 'tar: app/deps/x: Permission denied';
    expect(await saveWithFailingTar('b', message)).toBe(`${message}\napp/deps could not be stored.`);
    expect(await restore('a')).toBe('Restored app/deps from the key a.');
  });

  test.each([restoreScript, saveScript])('without a volume does nothing', async (script) => {
    const { code, stdout } = await runScript(script, work, { cache_path: 'x', cache_key: 'a' });
    expect([code, stdout]).toEqual([0, 'This build has no cache.\n']);
  });
});
