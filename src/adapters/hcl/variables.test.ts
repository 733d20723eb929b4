import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** Texts hold a block of one variable, and what is told of its value names which. */
describe('a diagnostic names the variable', () => {
  const cases: Record<string, [text: string, given: GivenVariables, code: string, variable: string]> = {
    'that has no value': ['variable "branch" { type = string }', {}, 'variable-missing', 'branch'],
    'that has no value, though a comment in its header speaks of another': [
      'variable /* "tag" */ "branch" { type = string }',
      {},
      'variable-missing',
      'branch',
    ],
    'whose value does not fit': [
      'variable "depth" { type = number }',
      { depth: { value: 'deep' } },
      'variable-value',
      'depth',
    ],
    'that nobody declared': [
      'variable "branch" { default = "main" }',
      { tag: { value: 'v1' } },
      'variable-undeclared',
      'tag',
    ],
    'whole, where the message cuts its name': [
      '',
      { ['a'.repeat(600)]: { value: '' } },
      'variable-undeclared',
      'a'.repeat(600),
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [text, given, code, variable]) => {
    const { diagnostics } = compileText(engine, text, given);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code, variable }));
  });
});
