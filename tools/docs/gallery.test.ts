import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import { ROOT } from './markdown.ts';

const FOLDER = 'config/samples/gallery';
const samples = readdirSync(join(ROOT, FOLDER)).toSorted();
const read = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

describe.each(samples)('the sample %s', (file) => {
  test('compiles without errors and warnings', () => {
    const { diagnostics } = compileText(engine, read(file), {});
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
  });

  test('is formatted', () => expect(engine.format(read(file))).toBe(read(file)));

  test('begins with what it is for', () => expect(read(file)).toMatch(/^# [A-Z].+\.?\n/));

  test('names no host except github.com and those of example.org', () => {
    const hosts = [...read(file).matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host);
    const foreign = hosts.filter((host) => !/(?:^|\.)example\.org$/.test(host) && host !== 'github.com');
    expect(foreign).toEqual([]);
  });
});

test('the page of the gallery lists each sample once', () => {
  const page = readFileSync(join(ROOT, 'docs/how-to/gallery.md'), 'utf8');
  const listed = [...page.matchAll(/\.\.\/\.\.\/config\/samples\/gallery\/([\w.-]+)\)/g)];
  expect(listed.map(([, file = '']) => file).toSorted()).toEqual(samples);
});
