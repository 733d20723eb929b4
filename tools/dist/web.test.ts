import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { outputFolder } from './inputs.ts';

/* Reads what `make dist` has built: Vite does not run within jest. */
const folder = join(outputFolder, 'web');
const files = readdirSync(folder);
const scripts = files.filter((file) => file.endsWith('.js'));

const MAX_SCRIPT_BYTES = 150_000;

const compressedBytes = (file: string): number => gzipSync(readFileSync(join(folder, file))).length;

test('each asset is a file with a hash in its name', () => {
  const names: Record<string, string> = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8'));
  expect(Object.keys(names)).toEqual([
    'styles.css',
    'theme.js',
    'live.js',
    'build-page.js',
    'editor-page.js',
    'form-answer-page.js',
    'leave-page.js',
    'overview-page.js',
    'pipeline-page.js',
    'resource-page.js',
    'token-page.js',
  ]);
  for (const [name, file] of Object.entries(names)) {
    expect(files).toContain(file);
    expect(file.replace(/-[\w-]{8}\./, '.')).toBe(name);
  }
});

test('there are no other files, which a page of another release could not load', () => {
  const names: Record<string, string> = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8'));
  expect(files.toSorted()).toEqual(['assets.json', ...Object.values(names)].toSorted());
});

test('the scripts of a page have at most 150 kB when compressed', () => {
  const pageScripts = scripts.filter((file) => file.includes('-page-'));
  const sharedScripts = scripts.filter((file) => !file.includes('-page-'));
  const sharedBytes = sharedScripts.reduce((sum, file) => sum + compressedBytes(file), 0);
  expect(sharedScripts).toHaveLength(2);
  const tooLarge = pageScripts.filter((file) => sharedBytes + compressedBytes(file) > MAX_SCRIPT_BYTES);
  expect(tooLarge).toEqual([]);
});

test.each(scripts)('%s evaluates no text as code, which the policy of pages forbids', (file) => {
  expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/\beval\(|\bFunction\(/);
});
