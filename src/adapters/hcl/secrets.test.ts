import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  array,
  assert,
  constantFrom,
  letrec,
  oneof,
  property,
  record,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';
import type { Attribute, Value } from '#domain/language/syntax.ts';
import { makeSecretPlaceholder, replaceSecretPlaceholders } from '#domain/pipeline/secret-placeholder.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclEngine } from './engine.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(600_000);

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

const functions = (
  'alltrue anytrue base64decode base64encode chomp chunklist coalesce coalescelist compact concat ' +
  'contains csvdecode distinct element ' +
  'endswith flatten format formatlist indent join jsondecode jsonencode keys length lookup lower ' +
  'merge one parseint regex regexall ' +
  'regexreplace replace reverse setintersection setproduct setsubtract setunion slice sort split ' +
  'startswith strcontains strlen strrev ' +
  'substr sum title tobool tolist tomap tonumber toset tostring transpose trim trimprefix trimspace ' +
  'trimsuffix upper urlencode values ' +
  'zipmap'
).split(' ');
/**
 * Functions whose results contain arguments unchanged. They are used more often, so that results have
 * secrets.
 */
const movingFunctions =
  'coalesce concat element flatten join lookup merge one reverse tolist tomap tostring values'.split(' ');

/** Expressions over two secrets: many are valid, others are nonsense of all kinds. */
const { any: expressions } = letrec<Record<'any' | 'text' | 'list' | 'map' | 'call', string>>((tie) => ({
  text: oneof(
    { maxDepth: 4, depthIdentifier: 'e' },
    constantFrom('var.a', 'var.b', 'var.m.a', 'var.l[0]', '"x"', '""', '"true"', '5', 'null', '"é,1"'),
    tuple(tie('any'), tie('any')).map(([first, second]) => `"\${${first}}-\${${second}}"`),
    tie('text').map((inner) => `"%{ for x in [${inner}, "y"] }\${x};%{ endfor }"`),
    tuple(constantFrom('%s', '%s:%v', '%5s', '%.3s', '%q', '%[1]s%[1]s', '%#v'), tie('any'), tie('text')).map(
      ([format, first, second]) =>
        format.split('%').length > 2
          ? `format("${format}", ${first}, ${second})`
          : `format("${format}", ${first})`,
    ),
    tuple(tie('text'), tie('list')).map(([separator, list]) => `join(${separator}, ${list})`),
    tuple(tie('map'), tie('text'), tie('text')).map(
      ([map, key, second]) => `lookup(${map}, ${key}, ${second})`,
    ),
    tuple(tie('list'), constantFrom('0', '1', '-1')).map(([list, index]) => `element(${list}, ${index})`),
  ),
  list: oneof(
    { maxDepth: 4, depthIdentifier: 'e' },
    constantFrom('var.l', '[]', '["x", "y"]', 'values(var.m)'),
    array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tuple(tie('list'), tie('any')).map(([list, value]) => `[for x in ${list} : [x, ${value}]]`),
    tuple(tie('list'), tie('text')).map(([list, part]) => `[for x in ${list} : x if x != ${part}]`),
    tuple(tie('list'), tie('list')).map((lists) => `concat(${lists.join(', ')})`),
    tuple(constantFrom('formatlist("%s", ', 'tolist(', 'compact(', 'reverse(', 'flatten('), tie('list')).map(
      ([call, list]) => `${call}${list})`,
    ),
    tie('map').map((map) => `[${map}][*].a`),
  ),
  map: oneof(
    { maxDepth: 4, depthIdentifier: 'e' },
    constantFrom('var.m', '{}', '{ a = "x" }'),
    tuple(tie('any'), tie('any')).map(([first, second]) => `{ a = ${first}, b = ${second} }`),
    tuple(tie('text'), tie('any')).map(([key, value]) => `{ (${key}) = ${value} }`),
    tie('map').map((map) => `{ for k, v in ${map} : k => "<\${v}>" }`),
    tie('list').map((list) => `{ for v in ${list} : v => v... }`),
    tuple(tie('map'), tie('map')).map((maps) => `merge(${maps.join(', ')})`),
    tuple(tie('list'), tie('list')).map((lists) => `zipmap(${lists.join(', ')})`),
  ),
  call: record({
    name: oneof(constantFrom(...functions), constantFrom(...movingFunctions)),
    args: array(tie('any'), { minLength: 1, maxLength: 3 }),
    spread: constantFrom('', '', '', '...'),
  }).map(({ name, args, spread }) => `${name}(${args.join(', ')}${spread})`),
  any: oneof(
    { maxDepth: 4, depthIdentifier: 'e' },
    tie('text'),
    tie('list'),
    tie('map'),
    tie('call'),
    tuple(tie('any'), tie('any'), tie('any')).map(
      ([condition, first, second]) => `(${condition} ? ${first} : ${second})`,
    ),
    tuple(tie('any'), constantFrom('==', '!=', '&&', '||', '+', '<'), tie('any')).map(
      ([first, operator, second]) => `(${first} ${operator} ${second})`,
    ),
    tuple(tie('any'), tie('any')).map(([first, key]) => `${first}[${key}]`),
    tie('any').map((inner) => `!${inner}`),
  ),
}));

/**
 * Texts of secrets. Most of them also occur in the expressions, where comparing the placeholder instead of
 * the secret would give another result.
 */
const secrets: Arbitrary<string> = oneof(
  { arbitrary: constantFrom('x', 'x', 'a,b', '1', 'true', 'A\n', ' y '), weight: 6 },
  constantFrom('null', 'é,1', '%s', '"', '\\', '${x}', 'y'.repeat(60)),
  string({ minLength: 1, maxLength: 50 }),
);

function scopeOf(a: string, b: string): Map<string, Value> {
  const first: Value = { kind: 'string', text: a };
  const second: Value = { kind: 'string', text: b };
  const entries: [string, Value][] = [
    ['a', first],
    ['b', second],
    ['l', { kind: 'tuple', items: [first, { kind: 'string', text: 'x' }, second] }],
    [
      'm',
      {
        kind: 'object',
        entries: [
          ['a', first],
          ['b', { kind: 'string', text: 'y' }],
        ],
      },
    ],
  ];
  return new Map([['var', { kind: 'object', entries }]]);
}

/** The scope of an evaluation: placeholders in place of the secrets. */
const placeholderScope = scopeOf(makeSecretPlaceholder('a'), makeSecretPlaceholder('b'));

const atoms = (
  'var.a;var.b;"x";"a,b";"";1;0;null;[];var.l;var.m;[var.a];["x", var.b];["x", "y"];{ a = ["x", ' +
  'var.a] };[[var.b], ["x"]];"<${var.a}>";' +
  '{ x = 1 };"%s";"%v-%s";[{ a = var.b }];"b";"[a-z]+"'
).split(';');
const callsOf = (name: string): Arbitrary<string> =>
  tuple(
    array(oneof({ arbitrary: constantFrom(...atoms), weight: 12 }, expressions), {
      minLength: 1,
      maxLength: 3,
    }),
    constantFrom('', '', '...'),
  ).map(([args, spread]) => `${name}(${args.join(', ')}${args.length > 0 ? spread : ''})`);

/**
 * The value without its type. HCL converts the results of a condition to a common type if it knows both. It
 * does not know the type of an object with a placeholder among its keys, so it leaves `{ a = 1 }` an object
 * where the secret would make it a map of strings.
 */
function contentOf(value: Value | undefined): unknown {
  if (value === undefined || value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'number') return value.digits;
  if (value.kind === 'bool') return String(value.value);
  if ('items' in value) return value.items.map(contentOf);
  return Object.fromEntries(value.entries.map(([key, item]) => [key, contentOf(item)]));
}

/** Whether the value contains a placeholder (`in`), does not (`out`), or does not exist (`none`). */
type Outcome = 'in' | 'out' | 'none';

/** Expects that replacing the placeholders in the result equals the result of evaluating with the secrets. */
function compare(expression: string, a: string, b: string): Outcome {
  const document = engine.parse(`x = ${expression}\n`, 200);
  const attribute = document.body?.items.find((item): item is Attribute => item.kind === 'attribute');
  if (!attribute) throw new Error(JSON.stringify(document.problems));
  const { value } = document.evaluate(attribute.expression, placeholderScope);
  const first = a.toWellFormed().normalize();
  const second = b.toWellFormed().normalize();
  const valueWithSecrets = value && document.evaluate(attribute.expression, scopeOf(first, second)).value;
  document.release();
  if (!value) return 'none';
  const text = JSON.stringify(value);
  // HCL drops errors on the right of `true ||`, but not the error that a string is not a bool. So an
  // expression can be an error with the secret itself, but not with its placeholder.
  if (valueWithSecrets) {
    const filled = replaceSecretPlaceholders(text, (name) =>
      JSON.stringify(name === 'a' ? first : second).slice(1, -1),
    );
    const result: Value = JSON.parse(filled.normalize());
    const expected: Value = JSON.parse(JSON.stringify(valueWithSecrets).normalize());
    if (expression.includes('?')) expect(contentOf(result)).toEqual(contentOf(expected));
    else expect(result).toEqual(expected);
  }
  return text.includes('__millrace_secret_') ? 'in' : 'out';
}

test('a condition between objects, one with a secret as key, has the same content as with the secret', () => {
  expect(compare('true ? { a = 1 } : { (var.a) = "x" }', 'x', 'x')).toBe('out');
});

describe('replacing a placeholder in a result equals evaluating with the secret itself', () => {
  test('for generated expressions of all kinds', () => {
    const outcomes: Outcome[] = [];
    const numRuns = propertyRuns(2000);
    const compared = property(expressions, secrets, secrets, (expression, a, b) => {
      outcomes.push(compare(expression, a, b));
    });
    assert(compared, { numRuns });
    expect(outcomes.filter((outcome) => outcome === 'in').length).toBeGreaterThan(numRuns / 20);
  });

  test.each(functions)('for generated calls of %s', (name) => {
    const compared = property(callsOf(name), secrets, secrets, (...call) => {
      compare(...call);
    });
    assert(compared, { numRuns: propertyRuns(200) });
  });
});
