import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Attribute, Expression, Value } from '#domain/language/syntax.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclEngine } from './engine.ts';

const MAX_DEPTH = 200;

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

function expressionOf(source: string): {
  expression: Expression;
  evaluate: ReturnType<HclEngine['parse']>['evaluate'];
} {
  const { body, problems, evaluate } = engine.parse(`x = ${source}\n`, MAX_DEPTH);
  const attribute = body?.items.find((item): item is Attribute => item.kind === 'attribute');
  if (!attribute) throw new Error(JSON.stringify(problems));
  return { expression: attribute.expression, evaluate };
}

const NESTED: [construct: string, make: (depth: number) => string][] = [
  ['parentheses', (n) => `x = ${'('.repeat(n)}1${')'.repeat(n)}`],
  ['brackets', (n) => `x = ${'['.repeat(n)}${']'.repeat(n)}`],
  ['braces', (n) => `x = ${'{a='.repeat(n)}1${'}'.repeat(n)}`],
  ['calls', (n) => `x = ${'f('.repeat(n)}1${')'.repeat(n)}`],
  ['templates', (n) => `x = ${'"${'.repeat(n)}1${'}"'.repeat(n)}`],
  ['directives', (n) => `x = "${'%{if true}'.repeat(n)}${'%{endif}'.repeat(n)}"`],
  ['directives after comments', (n) => `x = "${'%{/**/if true}'.repeat(n)}${'%{endif}'.repeat(n)}"`],
  ['directives after line ends', (n) => `x = "${'%{\nif true}'.repeat(n)}${'%{endif}'.repeat(n)}"`],
  ['loops', (n) => `x = "${'%{for a in b}'.repeat(n)}${'%{endfor}'.repeat(n)}"`],
  ['for expressions', (n) => `x = ${'[for a in b : '.repeat(n)}1${']'.repeat(n)}`],
  ['blocks', (n) => `${'a {\n'.repeat(n)}${'}\n'.repeat(n)}`],
  ['negations', (n) => `x = ${'!'.repeat(n)}true`],
  ['minus signs', (n) => `x = ${'- '.repeat(n)}1`],
  ['sums', (n) => `x = ${Array.from({ length: n + 1 }, () => '1').join('+')}`],
  ['conditions', (n) => `x = ${'true?1:'.repeat(n)}2`],
  ['nested conditions', (n) => `x = ${'true?'.repeat(n)}1${':2'.repeat(n)}`],
  ['indexes', (n) => `x = a${'[b]'.repeat(n)}`],
  ['splats', (n) => `x = a${'.*.b'.repeat(n)}`],
  ['full splats', (n) => `x = a${'[*]'.repeat(n)}`],
  ['unclosed parentheses', (n) => `x = ${'('.repeat(n)}`],
  ['heredocs', (n) => `x = ${Array.from({ length: n }, (_, i) => `<<E${i}\n\${`).join('')}`],
];

describe('the engine limits the depth of nesting', () => {
  test.each(NESTED)('it refuses 30,000 %s, then parses the next text', (_, make) => {
    const { body, problems } = engine.parse(`${make(30_000)}\n`, MAX_DEPTH);
    expect({ body, problems }).toMatchObject({
      problems: [{ code: 'too-deep', subject: expect.anything() }],
    });
    expect(engine.parse('a = 1\n', MAX_DEPTH).problems).toEqual([]);
  });

  test.each(NESTED)('it evaluates the deepest %s that it allows', (construct, make) => {
    const deepest = Array.from({ length: MAX_DEPTH }, (_, i) => MAX_DEPTH - i).find(
      (n) => engine.parse(`${make(n)}\n`, MAX_DEPTH).problems[0]?.code !== 'too-deep',
    );
    // A template counts twice: its quotes and its `${`.
    expect(deepest).toBeGreaterThanOrEqual(99);
    const { body, evaluate } = engine.parse(`${make(deepest ?? 0)}\n`, MAX_DEPTH);
    const [item] = body?.items ?? [];
    if (item?.kind === 'attribute') expect(evaluate(item.expression, new Map())).toHaveProperty('problems');
    else expect(construct).toBe('blocks');
  });
});

describe('evaluation in the engine', () => {
  const scope = new Map<string, Value>([
    ['text', { kind: 'string', text: 'ä"\\\n\u0001${x}' }],
    ['number', { kind: 'number', digits: '123456789012345678901234567890.123456789' }],
    ['flag', { kind: 'bool', value: true }],
    ['nothing', { kind: 'null' }],
    ['list', { kind: 'tuple', items: [{ kind: 'number', digits: '-0.5' }, { kind: 'null' }] }],
    ['map', { kind: 'object', entries: [['__proto__', { kind: 'string', text: 'p' }]] }],
  ]);

  test.each([...scope.keys()])('returns %s unchanged', (name) => {
    const { expression, evaluate } = expressionOf(name);
    expect(evaluate(expression, scope)).toEqual({ value: scope.get(name), problems: [] });
  });

  test.each([
    ['1e3 + 0.5', '1000.5'],
    ['0.1 + 0.2', '0.3'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['number * 10', '1234567890123456789012345678901.23456789'],
    ['1e999', `1${'0'.repeat(999)}`],
  ])('returns the number %s exactly as %s', (source, digits) => {
    const { expression, evaluate } = expressionOf(source);
    expect(evaluate(expression, scope).value).toEqual({ kind: 'number', digits });
  });

  test('reports why and where an expression has no value', () => {
    const { expression, evaluate } = expressionOf('missing.name');
    expect(evaluate(expression, scope)).toMatchObject({
      problems: [
        {
          severity: 'error',
          summary: 'Unknown variable',
          subject: { start: { line: 1, column: 5, byte: 4 } },
        },
      ],
    });
    expect(evaluate(expression, scope)).not.toHaveProperty('value');
  });

  test.each([
    ['a', true],
    ['"x-${a}-y"', true],
    ['("${a}")', true],
    ['[b, { k = a }]', true],
    ['true ? a : b', true],
    ['a == "x"', false],
    ['a == "x" ? b : c', false],
    ['upper(a)', false],
    ['"${upper(a)}"', false],
    ['[for x in [a] : x]', false],
    ['"%{ if a == "" }x%{ endif }"', false],
    ['{ (a) = 1 }', false],
    ['b[a]', false],
    ['!a', false],
  ])('knows whether %s takes the value of `a` unchanged: %p', (source, direct) => {
    const collect = ({ variables, items = [], entries = [] }: Expression): Expression['variables'] => [
      ...variables,
      ...items.flatMap(collect),
      ...entries.flatMap(({ key, value }) => [
        ...collect(key).map((reference) => ({ ...reference, direct: false })),
        ...collect(value),
      ]),
    ];
    const found = collect(expressionOf(source).expression).filter(({ name }) => name === 'a');
    expect(found.map((reference) => reference.direct)).toEqual([direct]);
  });
});

test('a diagnostic calls a secret by the name of its variable', () => {
  const token: Value = { kind: 'string', text: makeSecretPlaceholder('release/token') };
  const scope = new Map<string, Value>([['var', { kind: 'object', entries: [['secret', token]] }]]);
  const { expression, evaluate } = expressionOf('upper(var.secret)');
  expect(evaluate(expression, scope).problems).toMatchObject([
    {
      code: 'secret-used-indirectly',
      summary: 'upper() needs the value of the secret var.secret, which is known only when a step runs',
      subject: { start: { column: 11 } },
    },
  ]);
});

describe('the formatter of the engine', () => {
  test('aligns and indents text as the formatter of HCL does', () => {
    expect(engine.format('a   =1\nlonger= "x"\nb   {\nc=1\n}\n')).toBe(
      'a      = 1\nlonger = "x"\nb {\n  c = 1\n}\n',
    );
  });

  test('formats invalid text without an error', () => {
    expect(engine.format('a = "\n}}')).toContain('a = "');
  });
});

test('the memory of an engine does not grow with use', async () => {
  const longUsedEngine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
  const source = readFileSync(
    new URL('../../domain/language/testdata/valid/demo.hcl', import.meta.url),
    'utf8',
  );
  const scope = new Map<string, Value>([['var', { kind: 'object', entries: [] }]]);
  const run = (): void => {
    const document = longUsedEngine.parse(source, MAX_DEPTH);
    for (const item of document.body?.items ?? []) {
      if (item.kind === 'attribute') document.evaluate(item.expression, scope);
    }
    document.release();
  };
  for (let i = 0; i < 1300; i++) {
    run();
    if (i % 10 === 0) longUsedEngine.collect();
  }
  expect(longUsedEngine.memorySize()).toBeLessThan(32 * 1024 * 1024);
});

const stringValue = (value: string): Value => ({ kind: 'string', text: value });
const numberValue = (value: string): Value => ({ kind: 'number', digits: value });

describe('types in the engine', () => {
  const cases: [type: string, value: Value, converted: Value | string][] = [
    [
      'list(string)',
      { kind: 'tuple', items: [numberValue('1'), stringValue('a')] },
      { kind: 'list', items: [stringValue('1'), stringValue('a')] },
    ],
    [
      'set(string)',
      { kind: 'tuple', items: [stringValue('b'), stringValue('a'), stringValue('b')] },
      { kind: 'set', items: [stringValue('a'), stringValue('b')] },
    ],
    [
      'map(number)',
      { kind: 'object', entries: [['a', stringValue('1')]] },
      { kind: 'map', entries: [['a', numberValue('1')]] },
    ],
    [
      'object({ name = string, port = optional(number, 80) })',
      { kind: 'object', entries: [['name', stringValue('a')]] },
      {
        kind: 'object',
        entries: [
          ['name', stringValue('a')],
          ['port', numberValue('80')],
        ],
      },
    ],
    ['any', stringValue('a'), stringValue('a')],
    [
      'list(number)',
      { kind: 'tuple', items: [numberValue('1'), stringValue('a')] },
      '[1]: a number is required',
    ],
    [
      'list',
      stringValue('a'),
      'The list type constructor requires one argument specifying the element type.',
    ],
    ['list(strin)', stringValue('a'), 'The keyword "strin" is not a valid type specification.'],
  ];

  test.each(cases)('convert or refuse a value for %s', (type, value, converted) => {
    const { body, convert } = engine.parse(`x = ${type}\n`, MAX_DEPTH);
    const [attribute] = body?.items ?? [];
    if (attribute?.kind !== 'attribute') throw new Error('no attribute');
    const answer = convert(attribute.expression, value);
    expect(answer.value ?? answer.problems[0]?.detail).toEqual(converted);
  });

  test('are kept when their values pass through a scope', () => {
    const { expression, evaluate } = expressionOf('v');
    const values: Value[] = [
      { kind: 'set', items: [stringValue('a')] },
      { kind: 'list', items: [] },
      { kind: 'list', items: [{ kind: 'null' }, stringValue('a')] },
      {
        kind: 'map',
        entries: [
          ['a', { kind: 'null' }],
          ['b', numberValue('1')],
        ],
      },
      { kind: 'map', entries: [] },
    ];
    for (const value of values) expect(evaluate(expression, new Map([['v', value]])).value).toEqual(value);
  });
});
