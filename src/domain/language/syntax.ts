/**
 * Where something stands in the text: line and column count from 1, columns as HCL counts them (grapheme
 * clusters), bytes from 0.
 */
interface Position {
  line: number;
  column: number;
  byte: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** The inside of a file or block; attributes and blocks in the order of the file. */
export interface Body {
  range: Range;
  items: Item[];
}

export type Item = Attribute | Block;

export interface Attribute {
  kind: 'attribute';
  name: string;
  nameRange: Range;
  range: Range;
  expression: Expression;
}

export interface Block {
  kind: 'block';
  type: string;
  typeRange: Range;
  labels: Label[];
  /** From the type to the last label. */
  range: Range;
  body: Body;
}

export interface Label {
  text: string;
  range: Range;
}

/** What evaluation needs to know of an expression; the engine keeps the rest under its id. */
export interface Expression {
  id: number;
  range: Range;
  /** Set for a plain literal: needs no evaluation. */
  value?: Value;
  /** Set when the expression is a single bare word, such as `string`. */
  keyword?: string;
  /** Written as `"${…}"`, with nothing beside it: HCL gives the value itself, not a text. */
  quoted?: boolean;
  /** Written as `[…]`: its elements, which carry the references. */
  items?: Expression[];
  /** Written as `{…}`: its entries, which carry the references. */
  entries?: { key: Expression; value: Expression }[];
  variables: Reference[];
  functions: { name: string; range: Range }[];
}

/**
 * A name that the expression takes from its scope, with the attributes and constant indexes that follow:
 * `var.region`.
 */
export interface Reference {
  name: string;
  steps: { name: string; range: Range }[];
  range: Range;
  /**
   * The value reaches the result unchanged or inside a text; false under operators, conditions, indexes and
   * functions.
   */
  direct: boolean;
}

export type Value =
  | { kind: 'null' }
  | { kind: 'string'; text: string }
  /** All digits, without an exponent. */
  | { kind: 'number'; digits: string }
  | { kind: 'bool'; value: boolean }
  | { kind: 'list' | 'set' | 'tuple'; items: Value[] }
  | { kind: 'map' | 'object'; entries: [string, Value][] };

export type Scope = ReadonlyMap<string, Value>;

/** What HCL itself has to say about a text or an evaluation, in its own words. */
export interface Problem {
  severity: 'error' | 'warning';
  summary: string;
  detail: string;
  subject?: Range;
  context?: Range;
  /** Set when one of the engine's own guards or checks spoke. */
  code?:
    | 'nul-character'
    | 'huge-number'
    | 'too-deep'
    | 'too-many-lines'
    | 'secret-used-indirectly'
    | 'number-in-template';
  /** The beginning of the text at its place. */
  text?: string;
  /** Set when it was found beside HCL: nothing of the text is missing for it. */
  help?: string;
}

/** No value: the problems say why. */
interface Evaluation {
  value?: Value;
  problems: Problem[];
}

export type Evaluate = (expression: Expression, scope: Scope) => Evaluation;

/**
 * Converts a value to the type that an expression spells (`list(string)`), by HCL's rules for type
 * constraints; without a value it only reads the type. Problems of the type have a place, those of the value
 * have none.
 */
export type Convert = (type: Expression, value?: Value) => Evaluation;

/** A parsed text. With errors among the problems the body is what could be read, or absent. */
export interface SyntaxTree {
  body?: Body;
  problems: Problem[];
}
