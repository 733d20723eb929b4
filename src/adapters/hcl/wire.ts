import type { Block, Body, Expression, Item, Problem, Range, Value } from '#domain/language/syntax.ts';

/** What the engine writes (engine/encode.go, engine/value.go), and how it becomes the domain's tree. */
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

type WireRange = [number, number, number, number, number, number];

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

type WireProblem = Omit<Problem, 'subject' | 'context'> & { subject?: WireRange; context?: WireRange };

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

function readRange([line, column, byte, endLine, endColumn, endByte]: WireRange): Range {
  return { start: { line, column, byte }, end: { line: endLine, column: endColumn, byte: endByte } };
}

export function readProblem({ subject, context, ...problem }: WireProblem): Problem {
  return {
    ...problem,
    ...(subject && { subject: readRange(subject) }),
    ...(context && { context: readRange(context) }),
  };
}

export function readBody(wire: WireBody): Body {
  return { range: readRange(wire.range), items: wire.items.map(readItem) };
}

function readItem(wire: WireAttribute | WireBlock): Item {
  if ('block' in wire) return readBlock(wire);
  return {
    kind: 'attribute',
    name: wire.attribute,
    nameRange: readRange(wire.nameRange),
    range: readRange(wire.range),
    expression: readExpression(wire.expression),
  };
}

function readBlock(wire: WireBlock): Block {
  return {
    kind: 'block',
    type: wire.block,
    typeRange: readRange(wire.typeRange),
    labels: wire.labels.map(readNamed),
    range: readRange(wire.range),
    body: readBody(wire.body),
  };
}

function readNamed<Named extends { range: WireRange }>(wire: Named): Omit<Named, 'range'> & { range: Range } {
  return { ...wire, range: readRange(wire.range) };
}

function readExpression(wire: WireExpression): Expression {
  return {
    id: wire.id,
    range: readRange(wire.range),
    ...(wire.value !== undefined && { value: readValue(wire.value) }),
    ...(wire.keyword !== undefined && { keyword: wire.keyword }),
    ...(wire.quoted === true && { quoted: true }),
    ...(wire.items && { items: wire.items.map(readExpression) }),
    ...(wire.entries && {
      entries: wire.entries.map(({ key, value }) => ({
        key: readExpression(key),
        value: readExpression(value),
      })),
    }),
    variables: (wire.variables ?? []).map(({ direct, steps, ...variable }) => ({
      ...readNamed(variable),
      steps: steps.map(readNamed),
      direct: direct === true,
    })),
    functions: (wire.functions ?? []).map(readNamed),
  };
}

export function readValue(wire: WireValue): Value {
  if (wire === null) return { kind: 'null' };
  if (typeof wire === 'string') return { kind: 'string', text: wire };
  if (typeof wire === 'boolean') return { kind: 'bool', value: wire };
  if ('number' in wire) return { kind: 'number', digits: wire.number };
  if ('list' in wire) return { kind: 'list', items: wire.list.map(readValue) };
  if ('set' in wire) return { kind: 'set', items: wire.set.map(readValue) };
  if ('tuple' in wire) return { kind: 'tuple', items: wire.tuple.map(readValue) };
  if ('map' in wire) return { kind: 'map', entries: readEntries(wire.map) };
  return { kind: 'object', entries: readEntries(wire.object) };
}

function readEntries(entries: [string, WireValue][]): [string, Value][] {
  return entries.map(([key, value]) => [key, readValue(value)]);
}

export function writeValue(value: Value): WireValue {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return { number: value.digits };
  if ('entries' in value) {
    const entries = value.entries.map(([key, element]): [string, WireValue] => [key, writeValue(element)]);
    return value.kind === 'map' ? { map: entries } : { object: entries };
  }
  const items = value.items.map(writeValue);
  if (value.kind === 'list') return { list: items };
  return value.kind === 'set' ? { set: items } : { tuple: items };
}
