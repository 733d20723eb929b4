import type { HclDocument, HclEngine } from '#adapters/hcl/engine.ts';
import type { Body, Expression, HclProblem, Item, Scope, Value } from '#domain/language/syntax.ts';
import type { NativeParser } from './native-parser.ts';

const digits = (number: string): Value => ({ kind: 'number', digits: number });
const text = (content: string): Value => ({ kind: 'string', text: content });
/** The same scope as in engine/reference/main.go. */
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
  return {
    problems: document.problems.map(describeProblem),
    items: body.items.map(describeItem),
    formatted,
    wrongly: [],
  };
}

function variablesOf({ variables, items = [], entries = [] }: Expression): string[] {
  return [
    ...variables.map(({ name, range }) => `${name}@${range.start.byte}`),
    ...[...items, ...entries.flatMap(({ key, value }) => [key, value])].flatMap(variablesOf),
  ];
}

const describeProblem = ({ severity, summary, detail, subject, context }: HclProblem): unknown => ({
  severity,
  summary,
  detail,
  subject: subject ?? null,
  context: context ?? null,
});

/**
 * Removes differences that are not defects: the number of replacement characters for invalid bytes, Go's
 * stack traces, and HCL's random suggestions.
 */
const normalise = (described: unknown): unknown =>
  JSON.parse(
    JSON.stringify(described)
      .replaceAll(/\ufffd+/g, '\ufffd')
      .replaceAll(/ Did you mean [^?D]*\?/g, '')
      .replaceAll(
        /panic in function implementation: ((?:(?!\\ngoroutine |panic in f)[^"])*)\\ngoroutine [^"]*/g,
        '$1',
      ),
  );

/**
 * What the engine and native hashicorp/hcl return for a text, in one shape: ranges, blocks, attributes,
 * values, problems and the formatted text. Undefined if the engine's guard refuses the text, or if the text
 * has more problems than the engine reports. `sure` says whether the guard's quick check accepts the text.
 */
export async function describeBoth(
  engine: HclEngine,
  reference: NativeParser,
  source: Uint8Array,
): Promise<{ ours: unknown; theirs: unknown; sure: boolean } | undefined> {
  const document = engine.parse(source, 200, '2026-02-03T04:05:06Z');
  if (!document.body) return undefined;
  const ours = describeText(document, document.body, engine.format(source));
  document.release();
  if (JSON.stringify(ours).includes('"summary":"Too many errors"')) return undefined;
  const { sure, ...theirs }: { sure: boolean } = JSON.parse(await reference.describe(source));
  return { ours: normalise(ours), theirs: normalise(theirs), sure };
}
