import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { output } from './inputs.ts';

/* Reads what `make dist` has built: Vite does not run within jest. */
const folder = join(output, 'web');
const files = readdirSync(folder);
const scripts = files.filter((file) => file.endsWith('.js'));

const MAX_SCRIPT_BYTES = 150_000;

test('each asset is a file with a hash in its name', () => {
  const names: Record<string, string> = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8'));
  expect(Object.keys(names)).toEqual(['styles.css', 'live.js']);
  for (const [name, file] of Object.entries(names)) {
    expect(files).toContain(file);
    expect(file.replace(/-[\w-]{8}\./, '.')).toBe(name);
  }
});

test('there are no other files, which a page of another release could not load', () => {
  const names: Record<string, string> = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8'));
  expect(files.toSorted()).toEqual(['assets.json', ...Object.values(names)].toSorted());
});

test('all scripts together have at most 150 kB when compressed', () => {
  const bytes = scripts.map((file) => gzipSync(readFileSync(join(folder, file))).length);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});

test.each(scripts)('%s evaluates no text as code, which the policy of pages forbids', (file) => {
  expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/\beval\(|\bFunction\(/);
});
