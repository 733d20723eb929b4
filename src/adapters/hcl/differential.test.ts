import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { assert, property } from 'fast-check';
import hcl2 from 'hcl2-parser';
import type { Body, Expression, Item, Value } from '#domain/language/syntax.ts';
import { literalTexts } from '#testing/hcl/arbitrary-texts.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclDocument, type HclEngine } from './engine.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(3_600_000);

/*
 * Another parser, hcl2-parser (hashicorp/hcl 2.10 of 2021, compiled to JavaScript), must see the same blocks
 * and the same values as the engine. The comparison leaves out known faults of hcl2-parser:
 *
 * - the order of blocks of different types or labels is lost, and blocks of one type are grouped by label;
 * - `$${` and `%%{` come back as `${` and `%{`, so text and templates look the same;
 * - expressions come back as text: only literal values are compared;
 * - numbers are JavaScript numbers;
 * - an attribute and a block of the same name hide each other;
 * - it panics on blocks of one type with and without labels, or hides some of them;
 * - a name `__proto__` is lost;
 * - it panics, or takes seconds, for texts that the guard of the engine refuses.
 */
type Plain = string | number | boolean | null | Plain[] | Shape;
type Shape = { [name: string]: Plain };

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** hcl2-parser finds the handler of a panic by the calls in the stack of an error, so it needs them all. */
function parseByHcl2Parser(source: string): Plain {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Infinity;
  try {
    const [parsed]: [Plain] = hcl2.parseToObject(source);
    return parsed;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Brings our tree into the shape of hcl2-parser: under each type and its labels is a list of blocks. */
function reshape(document: HclDocument, body: Body): Plain {
  const shaped: Shape = {};
  for (const item of body.items) addItem(shaped, item, document);
  return shaped;
}

function addItem(target: Shape, item: Item, document: HclDocument): void {
  if (item.kind === 'attribute') {
    target[item.name] = shapeOf(item.expression, document);
    return;
  }
  const path = [item.type, ...item.labels.map(({ text }) => text)];
  let parent = target;
  for (const name of path.slice(0, -1)) {
    const child = parent[name] ?? {};
    parent[name] = child;
    parent = isObject(child) ? child : {};
  }
  const listName = path.at(-1) ?? '';
  const list = parent[listName] ?? [];
  parent[listName] = Array.isArray(list) ? [...list, reshape(document, item.body)] : list;
}

/**
 * Returns the value of an expression for the comparison. hcl2-parser returns computed values as text, so only
 * literals are compared; lists and maps are compared element by element.
 */
function shapeOf(expression: Expression, document: HclDocument): Plain {
  if (expression.items) return expression.items.map((item) => shapeOf(item, document));
  if (!expression.entries) return expression.value ? plainValue(expression.value) : UNCOMPARED;
  const keys = expression.entries.map(({ key }) => document.evaluate(key, new Map()).value);
  const namedValues = expression.entries.map((entry, i): [string, Plain] => {
    const key = keys[i];
    return [key?.kind === 'string' ? key.text : UNCOMPARED, shapeOf(entry.value, document)];
  });
  return Object.fromEntries(namedValues);
}

const UNCOMPARED = '\u0000any';

function plainValue(value: Value): Plain {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'number') return Number(value.digits);
  if (value.kind === 'bool') return value.value;
  if ('items' in value) return value.items.map(plainValue);
  return Object.fromEntries(value.entries.map(([key, element]) => [key, plainValue(element)]));
}

/** Replaces the values in `theirs` that are not compared. */
function withoutUncompared(ours: Plain, theirs: Plain): Plain {
  if (ours === UNCOMPARED) return UNCOMPARED;
  if (Array.isArray(ours) && Array.isArray(theirs))
    return theirs.map((item, i) => withoutUncompared(ours[i] ?? null, item));
  if (isObject(ours) && isObject(theirs)) {
    return Object.fromEntries(
      Object.entries(theirs).map(([name, item]) => [name, withoutUncompared(ours[name] ?? null, item)]),
    );
  }
  return theirs;
}

const isObject = (value: Plain): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mixesLabels(body: Body): boolean {
  const blocks = body.items.filter((item) => item.kind === 'block');
  const kinds = new Set(blocks.map(({ type, labels }) => `${type} ${labels.length}`));
  const types = new Set(blocks.map(({ type }) => type));
  return kinds.size > types.size || blocks.some((block) => mixesLabels(block.body));
}

function compare(source: string): void {
  const document = engine.parse(source, 200);
  if (document.body && mixesLabels(document.body)) return;
  const theirs = parseByHcl2Parser(source);
  const ours = document.problems.length > 0 || !document.body ? null : reshape(document, document.body);
  document.release();
  if (ours === null || theirs === null) expect(theirs).toEqual(ours);
  else expect(withoutUncompared(ours, theirs)).toEqual(ours);
}

describe('the engine agrees with hcl2-parser', () => {
  const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));
  const excluded = [
    'syntax/arithmetic', // hcl2-parser returns operators as text
    'syntax/division-by-zero',
    'syntax/many-siblings',
    'syntax/values',
    'syntax/prototype-names',
    'syntax/deep-', // the guard of the engine refuses
    'syntax/long-',
    'syntax/nul',
    'invalid/nul',
    'invalid/too-deep',
    'invalid/too-many-lines',
    'invalid/huge-number',
  ];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.hcl') && !excluded.some((name) => file.startsWith(name)))
    .toSorted();

  test.each(files)('on %s', (file) => {
    compare(readFileSync(join(folder, file), 'utf8'));
  });

  test('on generated texts, valid or with an attribute set twice', () => {
    assert(property(literalTexts, compare), { numRuns: propertyRuns(1000) });
  });
});
