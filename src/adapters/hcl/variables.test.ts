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

/** Each text has a block of one variable. Messages about its value name the variable. */
describe('a diagnostic names the variable', () => {
  const cases: Record<string, [text: string, variables: GivenVariables, code: string, variable: string]> = {
    'that has no value': ['variable "branch" { type = string }', {}, 'variable-missing', 'branch'],
    'that has no value, even if a comment in its header mentions another': [
      'variable /* "tag" */ "branch" { type = string }',
      {},
      'variable-missing',
      'branch',
    ],
    'whose value has the wrong type': [
      'variable "depth" { type = number }',
      { depth: { value: 'deep' } },
      'variable-value',
      'depth',
    ],
    'that is not declared': [
      'variable "branch" { default = "main" }',
      { tag: { value: 'v1' } },
      'variable-undeclared',
      'tag',
    ],
    'in full, even if the message shortens its name': [
      '',
      { ['a'.repeat(600)]: { value: '' } },
      'variable-undeclared',
      'a'.repeat(600),
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [text, variables, code, variable]) => {
    const { diagnostics } = compileText(engine, text, variables);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code, variable }));
  });
});
