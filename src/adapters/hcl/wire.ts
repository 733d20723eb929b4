import type { Block, Body, Expression, HclProblem, Item, Range, Value } from '#domain/language/syntax.ts';

/**
 * The answer to `parse` in the engine's JSON (engine/encode.go, engine/value.go). `fault`: the engine failed.
 */
export interface ParseAnswer {
  fault?: string;
  diagnostics: WireProblem[];
  tree?: number;
  body?: WireBody;
}

export interface EvaluateAnswer {
  fault?: string;
  diagnostics: WireProblem[];
  value?: WireValue;
}

type WireRange = [
  line: number,
  column: number,
  byte: number,
  endLine: number,
  endColumn: number,
  endByte: number,
];

interface WireBody {
  range: WireRange;
  items: (WireAttribute | WireBlock)[];
}

interface WireAttribute {
  attribute: string;
  nameRange: WireRange;
  range: WireRange;
  expression: WireExpression;
}

interface WireBlock {
  block: string;
  typeRange: WireRange;
  labels: { text: string; range: WireRange }[];
  range: WireRange;
  body: WireBody;
}

interface WireExpression {
  id: number;
  range: WireRange;
  value?: WireValue;
  keyword?: string;
  quoted?: boolean;
  items?: WireExpression[];
  entries?: { key: WireExpression; value: WireExpression }[];
  variables?: {
    name: string;
    range: WireRange;
    direct?: boolean;
    steps: { name: string; range: WireRange }[];
  }[];
  functions?: { name: string; range: WireRange }[];
}

type WireProblem = Omit<HclProblem, 'subject' | 'context'> & { subject?: WireRange; context?: WireRange };

export type WireValue =
  | string
  | boolean
  | null
  | { number: string }
  | { list: WireValue[] }
  | { set: WireValue[] }
  | { tuple: WireValue[] }
  | { map: [string, WireValue][] }
  | { object: [string, WireValue][] };

function decodeRange([line, column, byte, endLine, endColumn, endByte]: WireRange): Range {
  return { start: { line, column, byte }, end: { line: endLine, column: endColumn, byte: endByte } };
}

export function decodeProblem({ subject, context, ...problem }: WireProblem): HclProblem {
  return {
    ...problem,
    ...(subject && { subject: decodeRange(subject) }),
    ...(context && { context: decodeRange(context) }),
  };
}

export function decodeBody(wire: WireBody): Body {
  return { range: decodeRange(wire.range), items: wire.items.map(decodeItem) };
}

function decodeItem(wire: WireAttribute | WireBlock): Item {
  if ('block' in wire) return decodeBlock(wire);
  return {
    kind: 'attribute',
    name: wire.attribute,
    nameRange: decodeRange(wire.nameRange),
    range: decodeRange(wire.range),
    expression: decodeExpression(wire.expression),
  };
}

function decodeBlock(wire: WireBlock): Block {
  return {
    kind: 'block',
    type: wire.block,
    typeRange: decodeRange(wire.typeRange),
    labels: wire.labels.map(decodeWithRange),
    range: decodeRange(wire.range),
    body: decodeBody(wire.body),
  };
}

function decodeWithRange<Named extends { range: WireRange }>(
  wire: Named,
): Omit<Named, 'range'> & { range: Range } {
  return { ...wire, range: decodeRange(wire.range) };
}

function decodeExpression(wire: WireExpression): Expression {
  return {
    id: wire.id,
    range: decodeRange(wire.range),
    ...(wire.value !== undefined && { value: decodeValue(wire.value) }),
    ...(wire.keyword !== undefined && { keyword: wire.keyword }),
    ...(wire.quoted === true && { quoted: true }),
    ...(wire.items && { items: wire.items.map(decodeExpression) }),
    ...(wire.entries && {
      entries: wire.entries.map(({ key, value }) => ({
        key: decodeExpression(key),
        value: decodeExpression(value),
      })),
    }),
    variables: (wire.variables ?? []).map(({ direct, steps, ...variable }) => ({
      ...decodeWithRange(variable),
      steps: steps.map(decodeWithRange),
      direct: direct === true,
    })),
    functions: (wire.functions ?? []).map(decodeWithRange),
  };
}

export function decodeValue(wire: WireValue): Value {
  if (wire === null) return { kind: 'null' };
  if (typeof wire === 'string') return { kind: 'string', text: wire };
  if (typeof wire === 'boolean') return { kind: 'bool', value: wire };
  if ('number' in wire) return { kind: 'number', digits: wire.number };
  if ('list' in wire) return { kind: 'list', items: wire.list.map(decodeValue) };
  if ('set' in wire) return { kind: 'set', items: wire.set.map(decodeValue) };
  if ('tuple' in wire) return { kind: 'tuple', items: wire.tuple.map(decodeValue) };
  if ('map' in wire) return { kind: 'map', entries: decodeEntries(wire.map) };
  return { kind: 'object', entries: decodeEntries(wire.object) };
}

function decodeEntries(entries: [string, WireValue][]): [string, Value][] {
  return entries.map(([key, value]) => [key, decodeValue(value)]);
}

export function encodeValue(value: Value): WireValue {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return { number: value.digits };
  if ('entries' in value) {
    const entries = value.entries.map(([key, element]): [string, WireValue] => [key, encodeValue(element)]);
    return value.kind === 'map' ? { map: entries } : { object: entries };
  }
  const items = value.items.map(encodeValue);
  if (value.kind === 'list') return { list: items };
  return value.kind === 'set' ? { set: items } : { tuple: items };
}
