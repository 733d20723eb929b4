import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { functionNames } from '#domain/language/function-names.ts';
import type { Attribute, Scope, Value } from '#domain/language/syntax.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclEngine } from './engine.ts';

const folder = fileURLToPath(new URL('../../domain/language/testdata/functions', import.meta.url));
const token = makeSecretPlaceholder('token');
const scope: Scope = new Map<string, Value>([
  [
    'var',
    {
      kind: 'object',
      entries: [
        ['text', { kind: 'string', text: 'ä b' }],
        ['nothing', { kind: 'null' }],
        ['token', { kind: 'string', text: token }],
      ],
    },
  ],
]);

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

interface Example {
  /** The heading above the example: the name of the function, or `Operators`. */
  heading: string;
  expression: string;
  expected: string;
}

function readExamples(file: string): Example[] {
  let heading = '';
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .flatMap((line) => {
      heading = /^# (\w+)/.exec(line)?.[1] ?? heading;
      const [expression, expected] = line.split(' → ');
      return expression !== undefined && expected !== undefined ? [{ heading, expression, expected }] : [];
    });
}

/** Returns the value of the expression, or its error, in the form that the examples have. */
function evaluate(expression: string): string {
  const { body, problems, ...document } = engine.parse(`x = ${expression}\n`, 200, '2026-02-03T04:05:06Z');
  const attribute = body?.items.find((item): item is Attribute => item.kind === 'attribute');
  if (!attribute) throw new Error(JSON.stringify(problems));
  const evaluation = document.evaluate(attribute.expression, scope);
  document.release();
  const [problem] = evaluation.problems;
  if (problem) return `error: ${problem.detail === '' ? problem.summary : problem.detail}`;
  return evaluation.value ? spellValue(evaluation.value).replaceAll(token, '‹token›') : 'nothing';
}

function spellValue(value: Value): string {
  if (value.kind === 'null') return 'null';
  if (value.kind === 'string') return JSON.stringify(value.text);
  if (value.kind === 'bool') return String(value.value);
  if (value.kind === 'number') return value.digits;
  if ('items' in value)
    return `${value.kind === 'set' ? 'set ' : ''}[${value.items.map(spellValue).join(', ')}]`;
  const entries = value.entries.map(([key, element]) => `${JSON.stringify(key)}: ${spellValue(element)}`);
  return `{${entries.join(', ')}}`;
}

const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));
const examples = files.flatMap(readExamples);

describe.each(files)('%s', (file) => {
  test.each(readExamples(file))('$expression is $expected', ({ expression, expected }) => {
    const answer = evaluate(expression);
    if (expected.startsWith('error: ')) expect(answer).toContain(expected.slice('error: '.length));
    expect(answer.startsWith('error: ')).toBe(expected.startsWith('error: '));
    if (!expected.startsWith('error: ')) expect(answer).toBe(expected);
  });
});

test('the examples, the language and the engine have the same functions', () => {
  const headings = new Set(examples.map(({ heading }) => heading));
  headings.delete('Operators');
  expect([...headings].toSorted()).toEqual(engine.functionNames());
  expect(functionNames.toSorted()).toEqual(engine.functionNames());
});
