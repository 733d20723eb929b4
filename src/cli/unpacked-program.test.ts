import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureUnpacked, removeLeftovers } from './unpacked-program.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DIGEST = '0123456789abcdef0123456789abcdef';
const OTHER = DIGEST.replaceAll('0', 'f');
const UUID = '123e4567-e89b-42d3-a456-426614174000';
const FILES: Record<string, string> = {
  'millrace.js': 'one',
  'node_modules/a/b.node': 'two',
  'shim-amd64': 'three',
};
const assets = { names: Object.keys(FILES), read: (name: string) => Buffer.from(FILES[name] ?? '') };

let programs: string;
let folder: string;
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'millrace-program-'));
  folder = join(programs, DIGEST);
});
afterEach(() => rmSync(programs, { recursive: true }));

const failToRead = (): Uint8Array => {
  throw new Error('no space left');
};
const unpack = (): boolean => ensureUnpacked(folder, assets);
const contents = () =>
  Object.fromEntries(assets.names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const age = (path: string, milliseconds: number): void => {
  const at = (Date.now() - milliseconds) / 1000;
  utimesSync(path, at, at);
};
/** Makes a folder with a file beside the folder of the program, this many milliseconds old. */
function makeFolderBeside(name: string, milliseconds: number): void {
  mkdirSync(join(programs, name));
  writeFileSync(join(programs, name, 'millrace.js'), '');
  age(join(programs, name), milliseconds);
}

test('the program is unpacked once, for the user only, with the shim as a program', () => {
  expect([unpack(), unpack()]).toEqual([true, false]);
  expect(contents()).toEqual(FILES);
  expect(readdirSync(programs)).toEqual([DIGEST]);
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect([
    statSync(join(folder, 'shim-amd64')).mode & 0o100,
    statSync(join(folder, 'millrace.js')).mode & 0o111,
  ]).toEqual([0o100, 0]);
});

test.each(Object.keys(FILES))('a missing %s is unpacked again, and the other files stay', (name) => {
  unpack();
  const others = assets.names.filter((other) => other !== name);
  const before = others.map((other) => statSync(join(folder, other)).ino);
  rmSync(join(folder, name));
  expect(unpack()).toBe(true);
  expect(contents()).toEqual(FILES);
  expect(others.map((other) => statSync(join(folder, other)).ino)).toEqual(before);
  expect(readdirSync(programs)).toEqual([DIGEST]);
});

test('a missing folder is unpacked again', () => {
  unpack();
  rmSync(join(folder, 'node_modules'), { recursive: true });
  unpack();
  expect(contents()).toEqual(FILES);
});

test('a failed unpacking leaves nothing behind', () => {
  expect(() => ensureUnpacked(folder, { ...assets, read: failToRead })).toThrow('no space left');
  expect(readdirSync(programs)).toEqual([]);
});

test('folders that killed processes left a day ago and releases unused for 30 days are removed', () => {
  unpack();
  age(folder, 99 * DAY);
  makeFolderBeside(`${DIGEST}.${UUID}`, 25 * HOUR);
  makeFolderBeside(`${OTHER}.${UUID}`, 23 * HOUR);
  makeFolderBeside(OTHER, 31 * DAY);
  makeFolderBeside(OTHER.replaceAll('1', 'e'), 29 * DAY);
  makeFolderBeside('notes of the user', 99 * DAY);
  removeLeftovers(folder);
  expect(new Set(readdirSync(programs))).toEqual(
    new Set([DIGEST, `${OTHER}.${UUID}`, OTHER.replaceAll('1', 'e'), 'notes of the user']),
  );
});

test('the time of a release in use is updated once a day', () => {
  unpack();
  age(folder, 2 * HOUR);
  const before = statSync(folder).mtimeMs;
  unpack();
  expect(statSync(folder).mtimeMs).toBe(before);
  age(folder, 40 * DAY);
  unpack();
  expect(Date.now() - statSync(folder).mtimeMs).toBeLessThan(HOUR);
});

test('a folder that cannot be read causes no error', () => {
  expect(() => removeLeftovers(join(programs, 'missing', DIGEST))).not.toThrow();
  expect(existsSync(programs)).toBe(true);
});
