import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hasErrors, renderDiagnostic } from '#domain/language/diagnostic.ts';
import type { Body, Expression, Value } from '#domain/language/syntax.ts';
import { UNKNOWN_OTHERS, type GivenVariables } from '#domain/pipeline/variables.ts';
import { someOf } from '#testing/hcl/property-runs.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

/*
 * The admission webhook compiles a text without the values from `varsFrom`. It must not refuse a text that
 * those values could make valid. The test takes every valid text of the suite and makes each single value
 * depend on an unknown one.
 */
let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

const UNKNOWN: GivenVariables = { [UNKNOWN_OTHERS]: { value: '' } };
const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.hcl') && !/^(syntax|functions)\//.test(name))
  .toSorted();

const messagesOf = (text: string | Buffer, variables: GivenVariables): string[] =>
  compileText(engine, text, variables).diagnostics.map(renderDiagnostic);

const errorsOf = (text: string | Buffer, variables: GivenVariables): string[] =>
  compileText(engine, text, variables)
    .diagnostics.filter((diagnostic) => hasErrors([diagnostic]))
    .map(renderDiagnostic);

function valuesFor(name: string): GivenVariables {
  try {
    return JSON.parse(readFileSync(join(folder, name.replace(/hcl$/, 'vars.json')), 'utf8'));
  } catch {
    return {};
  }
}

/** Every literal value in the text. */
function literalsOf(body: Body): { expression: Expression; value: Value }[] {
  const literalsIn = (expression: Expression): { expression: Expression; value: Value }[] => [
    ...(expression.value === undefined ? [] : [{ expression, value: expression.value }]),
    ...(expression.items ?? []).flatMap(literalsIn),
    ...(expression.entries ?? []).flatMap(({ value }) => literalsIn(value)),
  ];
  return body.items.flatMap((item) =>
    item.kind === 'attribute' ? literalsIn(item.expression) : literalsOf(item.body),
  );
}

const TYPES: Partial<Record<Value['kind'], string>> = { string: 'string', bool: 'bool', number: 'number' };

/**
 * The text with one literal replaced by a variable, or by a condition on a variable. With the default of the
 * variable, only some of these texts are valid.
 */
function textsWithVariable(
  source: Buffer,
  { expression, value }: { expression: Expression; value: Value },
): string[] {
  const { start, end } = expression.range;
  const literal = source.subarray(start.byte, end.byte).toString();
  const replaceLiteral = (replacement: string, declaration: string): string =>
    `${source.subarray(0, start.byte).toString()}${replacement}${source.subarray(end.byte).toString()}\n` +
    `variable "unknown_one" {\n${declaration}\n}\n`;
  const stringVariable = '  type = string\n  default = "yes"';
  const type = TYPES[value.kind];
  return [
    ...(type === undefined || literal.startsWith('<<')
      ? []
      : [replaceLiteral('var.unknown_one', `  type = ${type}\n  default = ${literal}`)]),
    replaceLiteral(`(var.unknown_one == "yes" ? ${literal}\n : null)`, stringVariable),
    replaceLiteral('(var.unknown_one == "yes" ? null : "no")', stringVariable),
    replaceLiteral('(var["unknown_one"] == "yes" ? null : "no")', stringVariable),
  ];
}

function variantsOf(source: Buffer): string[] {
  const document = engine.parse(source, 200);
  try {
    const { body } = document;
    return body === undefined
      ? []
      : literalsOf(body).flatMap((literal) => textsWithVariable(source, literal));
  } finally {
    document.release();
  }
}

describe('a valid text stays without errors if any one value is unknown', () => {
  const tried = { texts: 0, valid: 0 };

  test.each(names)('%s', (name) => {
    const source = readFileSync(join(folder, name));
    const known = valuesFor(name);
    const errors = errorsOf(source, known);
    for (const variables of [UNKNOWN, { ...known, ...UNKNOWN }]) {
      expect(errorsOf(source, variables).filter((error) => !errors.includes(error))).toEqual([]);
    }
    if (errors.length > 0) return;
    for (const text of someOf(variantsOf(source))) {
      tried.texts += 1;
      if (errorsOf(text, known).length > 0) continue;
      tried.valid += 1;
      expect({ text, errors: errorsOf(text, { ...known, ...UNKNOWN }) }).toEqual({ text, errors: [] });
    }
  });

  test('was tried with hundreds of texts, more than a third of them valid', () => {
    expect(tried.texts).toBeGreaterThan(300);
    expect(tried.valid).toBeGreaterThan(tried.texts / 3);
  });
});

describe('a text with unknown values still gets the error that', () => {
  const head = 'variable "u" {\n  type = string\n}\n';
  test.each<[string, string, string[]]>([
    [
      'the text is not HCL',
      'job "a" {',
      [
        '4:9: in job "a": Unclosed configuration block: There is no closing brace for this block ' +
          'before the end of the file. This may be caused by incorrect brace nesting elsewhere in this ' +
          'file',
      ],
    ],
    [
      'a block does not exist',
      'jobb "a" {\n}\n',
      ['4:1: there is no block "jobb" in a pipeline; did you mean "job"?'],
    ],
    [
      'a variable does not exist',
      'resource "git" "a" {\n  params {\n    name = var.wrong\n    url = var.u\n  }\n}\n',
      ['6:15: in resource "git" "a": there is no variable "wrong"'],
    ],
    [
      'an attribute beside one with an unknown value does not exist',
      'resource "git" "a" {\n  check_interval = var.u\n  check_intervall = "1"\n}\n',
      [
        '6:3: in resource "git" "a": there is no attribute "check_intervall" in resource; ' +
          'did you mean "check_interval"?',
      ],
    ],
    [
      'a known value is wrong',
      'resource "git" "a" {\n  check_interval = 5\n  params {\n    url = var.u\n    name = "a"\n  }\n}\n',
      ['5:20: in resource "git" "a": check_interval must be a string, not a number'],
    ],
    [
      'a resource does not exist, while parameters have unknown values',
      'resource "git" "a" {\n  params {\n    url = var.u\n    name = "a"\n  }\n}\njob "j" {\n  get "git" "b" {}\n}\n',
      ['11:7: in job "j": there is no resource "git.b"; did you mean "git.a"?'],
    ],
    [
      'a parameter is missing beside one with an unknown value',
      'resource "git" "a" {\n  params {\n    name = var.u\n  }\n}\n',
      ['5:3: in resource "git" "a": a git resource needs the parameter url'],
    ],
    [
      'a default is of another type',
      'variable "v" {\n  type = bool\n  default = "x"\n}\n',
      ['6:13: in variable "v": default must be a bool, not a string'],
    ],
  ])('%s', (_, text, expected) => {
    expect(messagesOf(head + text, UNKNOWN)).toEqual(expected);
  });

  test('a given value does not fit its variable', () => {
    const text = 'variable "u" {\n  type = bool\n}\n';
    expect(messagesOf(text, { u: { value: 'maybe' }, ...UNKNOWN })).toEqual([
      '1:1: in variable "u": the value given for "u" is not true or false',
    ]);
  });
});

test('a text compiled with unknown values returns no pipeline', () => {
  const text = 'job "a" {\n  task "t" {\n    run "shell" {\n      cmd = "true"\n    }\n  }\n}\n';
  expect(compileText(engine, text, {}).pipeline).toBeDefined();
  expect(compileText(engine, text, UNKNOWN)).toEqual({ diagnostics: [] });
});

describe('a text with unknown values gets no error about', () => {
  test.each<[string, string]>([
    ['a variable without a default that may get a value', 'variable "u" {\n  type = string\n}\n'],
    [
      'both alternatives of an unknown condition',
      'variable "u" {\n  type = string\n}\njob "a" {\n  task "t" {\n    run "shell" {\n' +
        '      cmd  = var.u == "" ? null : "true"\n      file = var.u == "" ? "a.sh" : null\n    }\n' +
        '  }\n}\n',
    ],
    [
      'a default that may be overridden',
      'variable "u" {\n  type = string\n  default = "nonsense"\n}\nresource "cron" "c" {\n' +
        '  check_interval = var.u\n}\n',
    ],
    [
      'a resource that depends on an unknown schedule',
      'variable "u" {\n  type = string\n}\nresource "cron" "c" {\n  check_interval = var.u\n}\n' +
        'job "a" {\n  get "cron" "c" {\n    passed = ["b"]\n  }\n}\n',
    ],
  ])('%s', (_, text) => {
    expect(messagesOf(text, UNKNOWN)).toEqual([]);
  });
});
