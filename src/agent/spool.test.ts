import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Spool } from './spool.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function texts(spool: Spool, bytes = 1000): string[] {
  return spool.first(bytes, { start: '<', end: '>' }).toString().slice(1, -1).split(',');
}

test('the spool returns from disk, in order, what exceeds its memory', () => {
  const spool = new Spool(folder, { memory: 5, disk: 100 });
  for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
    expect(spool.add(index + 1, text, false)).toBe(true);
  }
  expect(texts(spool)).toEqual(['one', 'two', 'three', 'four']);
  expect(texts(spool, 8)).toEqual(['one', 'two']);
  expect(texts(spool, 1)).toEqual(['one']);
  spool.dropUpTo(2);
  expect(texts(spool)).toEqual(['three', 'four']);
  spool.dropUpTo(4);
  expect(spool.empty).toBe(true);
});

test('texts of any characters and lengths are whole, from memory and from disk', () => {
  const spool = new Spool(folder, { memory: 50, disk: 10_000 });
  const written = ['a', 'ä'.repeat(20), '🗝'.repeat(500), 'x'.repeat(3000), 'é'];
  for (const [index, text] of written.entries()) spool.add(index + 1, text, false);
  expect(texts(spool, 10)).toEqual(['a']);
  expect(texts(spool, 100_000)).toEqual(written);
  expect(texts(spool, 42)).toEqual(written.slice(0, 2));
});

test('a full spool refuses non-essential events until there is room again', () => {
  const spool = new Spool(folder, { memory: 5, disk: 5 });
  expect(spool.add(1, 'aaaaa', false)).toBe(true);
  expect(spool.add(2, 'bbbbb', false)).toBe(true);
  expect(spool.add(3, 'ccccc', false)).toBe(false);
  expect(spool.add(3, 'essential', true)).toBe(true);
  expect(texts(spool)).toEqual(['aaaaa', 'bbbbb', 'essential']);
  spool.dropUpTo(2);
  expect(spool.add(4, 'ddddd', false)).toBe(true);
  expect(texts(spool)).toEqual(['essential', 'ddddd']);
});

test('a spool without a disk holds what fits into memory', () => {
  const spool = new Spool(join(folder, 'nowhere'), { memory: 5, disk: 100 });
  expect(spool.add(1, 'aaaaa', false)).toBe(true);
  expect(spool.add(2, 'bbbbb', false)).toBe(false);
  expect(spool.add(2, 'essential', true)).toBe(true);
  expect(texts(spool)).toEqual(['aaaaa', 'essential']);
});

test('the file of the spool has no name in any directory', () => {
  const spool = new Spool(folder, { memory: 0, disk: 100 });
  spool.add(1, 'secret', false);
  expect(readdirSync(folder)).toEqual([]);
  expect(texts(spool)).toEqual(['secret']);
});
