import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Check } from 'typebox/schema';
import { buildEngine } from '#adapters/hcl/build.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import type { Body, Expression, Value } from '#domain/language/syntax.ts';
import { SCHEMA_FILE } from './language-schema.ts';
import { ROOT } from './markdown.ts';

const schema: object = JSON.parse(readFileSync(join(ROOT, SCHEMA_FILE), 'utf8'));
const folder = join(ROOT, 'src/domain/language/testdata');
const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.hcl') && !file.startsWith('syntax/'),
);

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

type Json = { [key: string]: unknown };

/** The same pipeline in HCL's JSON syntax. Values that are not literals become `${…}`. */
function toJson(text: string): Json | undefined {
  const document = engine.parse(text, 200);
  const jsonOf = (expression: Expression): unknown => {
    if (expression.keyword !== undefined && !expression.value) return expression.keyword;
    const { value } = document.evaluate(expression, new Map());
    // JSON has no sets; an expression creates them.
    if (value) return value.kind === 'set' ? '${…}' : plainValue(value);
    return expression.functions.length === 1 && expression.variables.length === 0 ? 'call()' : '${…}';
  };
  const body = ({ items }: Body): Json => {
    const object: Json = {};
    for (const item of items) {
      if (item.kind === 'attribute') object[item.name] = jsonOf(item.expression);
      else {
        const inner = item.labels.reduceRight<Json>(
          (nested, { text: label }) => ({ [label]: nested }),
          body(item.body),
        );
        const earlier = object[item.type];
        object[item.type] =
          earlier === undefined ? inner : [...(Array.isArray(earlier) ? earlier : [earlier]), inner];
      }
    }
    return object;
  };
  const isValid = document.body && document.problems.length === 0;
  const json = isValid && document.body ? body(document.body) : undefined;
  document.release();
  return json;
}

function plainValue(value: Value): unknown {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return Number(value.digits);
  if ('items' in value) return value.items.map(plainValue);
  return Object.fromEntries(value.entries.map(([key, entry]) => [key, plainValue(entry)]));
}

const codesOf = (file: string): string[] => {
  const path = join(folder, file.replace(/hcl$/, 'txt'));
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...text.matchAll(/^(?:error|warning) (\S+)/gm)].map(([, code = '']) => code);
};

describe('the JSON Schema accepts what the compiler accepts:', () => {
  // The schema cannot know that a pipeline defines a runner with the name of a built-in runner.
  const sound = cases.filter(
    (file) => existsSync(join(folder, file.replace(/hcl$/, 'json'))) && file !== 'runners/shell-replaced.hcl',
  );
  test.each(sound)('%s', (file) => {
    const json = toJson(readFileSync(join(folder, file), 'utf8'));
    expect(Check(schema, withoutNulls(json))).toBe(true);
  });
});

/** Removes nulls, because the compiler treats null as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutNulls(entry)]));
}

describe('the JSON Schema refuses blocks and attributes that the compiler refuses:', () => {
  const shapes = ['unknown-block', 'unknown-attribute', 'misplaced-block', 'missing-block', 'wrong-labels'];
  const wrong = cases.filter((file) => codesOf(file).some((code) => shapes.includes(code)));
  // Only the compiler knows which blocks a type needs without a source. In JSON, else if is an if inside an
  // else.
  const knownToSchema = wrong.filter(
    (file) => !/type-incomplete|without-(run|get|notify)\.|known-for-later|else-if/.test(file),
  );
  test.each(knownToSchema)('%s', (file) => {
    const json = toJson(readFileSync(join(folder, file), 'utf8'));
    if (json) expect(Check(schema, json)).toBe(false);
  });
});
