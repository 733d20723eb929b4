import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { volumeFolder } from '#testing/process/volume-folder.ts';
import * as artifact from './artifact.ts';
import * as fs from './fs.ts';
import { UNFINISHED_MINUTES } from './volume-prelude.ts';

let root = '';
let work = '';
let site = '';
beforeEach(async () => {
  root = await volumeFolder();
  site = join(root, 'site');
  work = await mkdtemp(join(tmpdir(), 'millrace-put-'));
  await writeText('site/page', 'new');
});
afterEach(async () => {
  for (const folder of [root, work]) await rm(folder, { recursive: true });
});

async function writeText(name: string, text: string): Promise<void> {
  await mkdir(join(work, name, '..'), { recursive: true });
  await writeFile(join(work, name), text);
}

const runFs = (script: string, version?: string): Promise<ScriptEnd> =>
  runScript(script, work, { param_path: site, put_from: 'site', ...(version && { version_hash: version }) });
const putArtifact = (script: string): Promise<ScriptEnd> =>
  runScript(script, work, { param_base_dir: root, put_dir: 'site' });

/**
 * The script, changed so that it gets the signal when it calls the command with arguments that match the
 * pattern.
 */
const signalledAt = (signal: string, script: string, command: string, pattern: string): string =>
  `${command}() { case "$*" in ${pattern}) kill -${signal} $$ ;; esac; command ${command} "$@"; }\n${script}`;
const killedAt = (script: string, command: string, pattern: string): string =>
  signalledAt('KILL', script, command, pattern);
/** The script, changed so that unfinished files count as leftovers a moment after their last change. */
const impatient = (script: string): string =>
  script.replaceAll(`-cmin -${UNFINISHED_MINUTES}`, '-cmin -0.005');

async function hashOf(end: Promise<ScriptEnd>): Promise<string> {
  const { code, stdout, stderr } = await end;
  if (code !== 0) throw new Error(stderr);
  const version = JSON.parse(stdout);
  return Array.isArray(version) ? version[0].hash : version.hash;
}

const names = async (): Promise<string[]> => (await readdir(root)).toSorted();
const isUnfinished = (name: string): boolean => name.startsWith('.millrace-');
const page = (): Promise<string> => readFile(join(site, 'page'), 'utf8');

/** Puts the old content, and kills a put of the new content after it has moved the old content away. */
async function interruptSwap(): Promise<string> {
  await writeText('site/page', 'old');
  const hash = await hashOf(runFs(fs.push));
  await writeText('site/page', 'new');
  await runFs(killedAt(fs.push, 'mv', '*/content\\ *'));
  expect(await names()).toEqual([expect.stringMatching(/^\.millrace-/)]);
  return hash;
}

describe('a put that is killed between the two moves of a folder', () => {
  test('leaves the old content to checks and gets', async () => {
    const hash = await interruptSwap();
    expect(await hashOf(runFs(fs.check))).toBe(hash);
    expect(await runFs(fs.check, hash)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    await rm(join(work, 'site'), { recursive: true });
    expect(await runFs(fs.pull, hash)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readdir(work)).toEqual(['page']);
    expect(await readFile(join(work, 'page'), 'utf8')).toBe('old');
  });

  test('has its old content restored by the next put, even if that put is killed too', async () => {
    await interruptSwap();
    await runFs(killedAt(fs.push, 'chmod', '*'));
    expect(await page()).toBe('old');
    expect((await runFs(fs.push)).code).toBe(0);
    expect(await page()).toBe('new');
  });

  test('does not bring its old content back after the put of another build and a removal', async () => {
    const hash = await interruptSwap();
    expect((await runFs(fs.push)).code).toBe(0);
    await rm(site, { recursive: true });
    expect(await runFs(fs.check)).toMatchObject({ code: 0, stdout: '[]\n' });
    expect((await runFs(fs.pull, hash)).stderr).toContain('is not there any more');
  });

  test('keeps the only copy of the old content when a put to another path removes leftovers', async () => {
    await interruptSwap();
    await sleep(1000);
    const other = { param_path: join(root, 'other'), put_from: 'site' };
    expect(await runScript(impatient(fs.push), work, other)).toMatchObject({ code: 0 });
    expect(await names()).toEqual(['other', 'site']);
    expect(await page()).toBe('old');
  });
});

test.each(['TERM', 'INT', 'HUP'])(
  'a put that gets SIG%s between the two moves of a folder moves the old content back',
  async (signal) => {
    await writeText('site/page', 'old');
    await hashOf(runFs(fs.push));
    await writeText('site/page', 'new');
    expect((await runFs(signalledAt(signal, fs.push, 'mv', '*/content\\ *'))).code).toBeGreaterThan(128);
    expect(await names()).toEqual(['site']);
    expect(await page()).toBe('old');
  },
);

describe('what a killed put copied', () => {
  test('is removed by a later put to the same folder when nobody has written to it for long', async () => {
    await runFs(killedAt(fs.push, 'mv', '*'));
    await putArtifact(killedAt(artifact.push, 'mv', '*'));
    expect((await names()).filter(isUnfinished)).toHaveLength(2);
    await sleep(1000);
    expect(await runFs(impatient(fs.push))).toMatchObject({ code: 0, stderr: '' });
    expect((await names()).filter(isUnfinished)).toHaveLength(1);
    expect(await putArtifact(impatient(artifact.push))).toMatchObject({ code: 0, stderr: '' });
    expect((await names()).filter(isUnfinished)).toEqual([]);
  });

  test('stays at first, since its put might still be running', async () => {
    await runFs(killedAt(fs.push, 'mv', '*'));
    await putArtifact(killedAt(artifact.push, 'mv', '*'));
    const before = (await names()).filter(isUnfinished);
    expect((await runFs(fs.push)).code).toBe(0);
    expect((await putArtifact(artifact.push)).code).toBe(0);
    expect((await names()).filter(isUnfinished)).toEqual(before);
  });

  test('is not removed if its name is not one that a put gives', async () => {
    for (const name of ['.millrace-mine', '.millrace-x-123456']) await mkdir(join(root, name));
    await writeFile(join(root, '.millrace-file'), 'x');
    await sleep(1000);
    expect((await runFs(impatient(fs.push))).code).toBe(0);
    expect((await putArtifact(impatient(artifact.push))).code).toBe(0);
    expect((await names()).filter(isUnfinished)).toHaveLength(3);
  });
});
