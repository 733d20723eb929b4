import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { diagnosticCodes } from '#domain/language/diagnostic-codes.ts';
import { describeCase } from '#testing/hcl/describe-case.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclEngine } from './engine.ts';

const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));
const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.hcl'))
  .toSorted();

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

describe('the portable test suite of the language', () => {
  test.each(cases)('%s', (name) => {
    const file = join(folder, name);
    const { json, text } = describeCase(engine, file);
    const tree = file.replace(/hcl$/, 'json');
    const diagnostics = file.replace(/hcl$/, 'txt');
    expect(text).toBe(existsSync(diagnostics) ? readFileSync(diagnostics, 'utf8') : '');
    expect(JSON.parse(JSON.stringify(json ?? null))).toEqual(
      existsSync(tree) ? JSON.parse(readFileSync(tree, 'utf8')) : null,
    );
  });

  test('has a hint for each of its syntax errors', () => {
    const { help } = diagnosticCodes['syntax-error'];
    const withoutHint = cases.filter((name) => {
      const expected = join(folder, name.replace(/hcl$/, 'txt'));
      return existsSync(expected) && readFileSync(expected, 'utf8').includes(help);
    });
    expect(withoutHint).toEqual([]);
  });

  test('has at least 300 cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
  });

  test('has a case for every error code that a text alone can cause', () => {
    const causedOtherwise = ['time-limit', 'machine-busy', 'memory-limit', 'engine-fault', 'volume-refused'];
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.txt'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('');
    const missing = Object.keys(diagnosticCodes).filter((code) => !texts.includes(` ${code} `));
    expect(missing.toSorted()).toEqual(
      [...causedOtherwise, 'too-large', 'too-many-blocks', 'too-many-diagnostics'].toSorted(),
    );
  });
});
