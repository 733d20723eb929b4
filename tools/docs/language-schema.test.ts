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
  const written = (expression: Expression): unknown => {
    if (expression.keyword !== undefined && !expression.value) return expression.keyword;
    const { value } = document.evaluate(expression, new Map());
    // JSON has no sets; an expression creates them.
    if (value) return value.kind === 'set' ? '${…}' : plain(value);
    return expression.functions.length === 1 && expression.variables.length === 0 ? 'call()' : '${…}';
  };
  const body = ({ items }: Body): Json => {
    const object: Json = {};
    for (const item of items) {
      if (item.kind === 'attribute') object[item.name] = written(item.expression);
      else {
        const inner = item.labels.reduceRight<Json>(
          (one, { text: label }) => ({ [label]: one }),
          body(item.body),
        );
        const before = object[item.type];
        object[item.type] =
          before === undefined ? inner : [...(Array.isArray(before) ? before : [before]), inner];
      }
    }
    return object;
  };
  const sound = document.body && document.problems.length === 0;
  const json = sound && document.body ? body(document.body) : undefined;
  document.release();
  return json;
}

function plain(value: Value): unknown {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return Number(value.digits);
  if ('items' in value) return value.items.map(plain);
  return Object.fromEntries(value.entries.map(([key, one]) => [key, plain(one)]));
}

const codesOf = (file: string): string[] => {
  const path = join(folder, file.replace(/hcl$/, 'txt'));
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...text.matchAll(/^(?:error|warning) (\S+)/gm)].map(([, code = '']) => code);
};

describe('the JSON Schema accepts what the compiler accepts:', () => {
  // The schema cannot know that a runner of the pipeline has the name of a built-in one.
  const sound = cases.filter(
    (file) => existsSync(join(folder, file.replace(/hcl$/, 'json'))) && file !== 'runners/shell-replaced.hcl',
  );
  test.each(sound)('%s', (file) => {
    const json = toJson(readFileSync(join(folder, file), 'utf8'));
    expect(Check(schema, withoutNulls(json))).toBe(true);
  });
});

/** null counts as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutNulls(one)]));
}

describe('the JSON Schema refuses blocks and attributes that the compiler refuses:', () => {
  const shapes = ['unknown-block', 'unknown-attribute', 'misplaced-block', 'missing-block', 'wrong-labels'];
  const wrong = cases.filter((file) => codesOf(file).some((code) => shapes.includes(code)));
  // Only the compiler knows which blocks a type needs without a source. In JSON, else if is an if inside an
  // else.
  const deeper = wrong.filter(
    (file) => !/type-incomplete|without-(run|get|notify)\.|known-for-later|else-if/.test(file),
  );
  test.each(deeper)('%s', (file) => {
    const json = toJson(readFileSync(join(folder, file), 'utf8'));
    if (json) expect(Check(schema, json)).toBe(false);
  });
});
