import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, jest } from '@jest/globals';
import { assert, asyncProperty, oneof } from 'fast-check';
import type { Body, Expression, Item, Problem, Scope, Value } from '#domain/language/syntax.ts';
import { expressionTexts, mutatedBytes, suiteTexts } from './arbitrary-texts.ts';
import { buildEngine } from './build.ts';
import { startEngine } from './engine.ts';
import type { HclDocument, HclEngine } from './engine.ts';
import { startReference } from './reference.ts';
import type { Reference } from './reference.ts';
import { times } from './times.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(3_600_000);

/*
 * The bridge loses nothing: what the engine says of a text is what hashicorp/hcl says natively. Left out are texts that the engine's guard
 * refuses before HCL sees them.
 */
let engine: HclEngine;
let reference: Reference;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
  reference = await startReference();
}, 600_000);
afterAll(() => reference.stop());

const digits = (number: string): Value => ({ kind: 'number', digits: number });
const text = (content: string): Value => ({ kind: 'string', text: content });
/** As in engine/reference/main.go. */
const scope: Scope = new Map<string, Value>([
  [
    'var',
    {
      kind: 'object',
      entries: [
        ['text', text('ä b')],
        ['number', digits('1.5')],
        ['flag', { kind: 'bool', value: true }],
        ['nothing', { kind: 'null' }],
        ['list', { kind: 'tuple', items: [text('x'), text('y')] }],
        [
          'map',
          {
            kind: 'object',
            entries: [
              ['a', digits('1')],
              ['b', text('z')],
            ],
          },
        ],
      ],
    },
  ],
]);

function describeText(document: HclDocument, body: Body, formatted: string): unknown {
  const describeItem = (item: Item): unknown => {
    if (item.kind === 'block') {
      return {
        type: item.type,
        typeRange: item.typeRange,
        labels: item.labels.map((label) => label.text),
        labelRanges: item.labels.map((label) => label.range),
        range: item.range,
        body: item.body.range,
        items: item.body.items.map(describeItem),
      };
    }
    const { value, problems } = document.evaluate(item.expression, scope);
    return {
      name: item.name,
      nameRange: item.nameRange,
      range: item.range,
      expression: item.expression.range,
      variables: variablesOf(item.expression).toSorted(),
      problems: problems.map(describeProblem),
      value: value ?? null,
    };
  };
  return { problems: document.problems.map(describeProblem), items: body.items.map(describeItem), formatted };
}

function variablesOf({ variables, items = [], entries = [] }: Expression): string[] {
  return [
    ...variables.map(({ name, range }) => `${name}@${range.start.byte}`),
    ...[...items, ...entries.flatMap(({ key, value }) => [key, value])].flatMap(variablesOf),
  ];
}

const describeProblem = ({ severity, summary, detail, subject, context }: Problem): unknown => ({
  severity,
  summary,
  detail,
  subject: subject ?? null,
  context: context ?? null,
});

/** How many signs a broken character is shown as is no difference, nor where Go reports a fault inside a function. */
const smooth = (json: string): unknown =>
  JSON.parse(
    JSON.stringify(JSON.parse(json))
      .replaceAll(/\ufffd+/g, '\ufffd')
      .replaceAll(/panic in function implementation: (.*?)\\ngoroutine .*?(?=")/g, '$1'),
  );

async function compare(source: Uint8Array): Promise<void> {
  const document = engine.parse(source, 200, '2026-02-03T04:05:06Z');
  if (!document.body) return;
  const ours = describeText(document, document.body, engine.format(source));
  document.release();
  expect(smooth(JSON.stringify(ours))).toEqual(smooth(await reference.describe(source)));
}

describe('native hashicorp/hcl agrees', () => {
  test('on every text of the suite', async () => {
    for (const source of suiteTexts) await compare(Buffer.from(source));
  });

  test('on generated texts, sound and broken', async () => {
    const texts = oneof(
      { arbitrary: expressionTexts.map((source) => new Uint8Array(Buffer.from(source))), weight: 1 },
      { arbitrary: mutatedBytes, weight: 2 },
    );
    await assert(asyncProperty(texts, compare), { numRuns: times(1000) });
  });
});
