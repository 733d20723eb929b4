/**
 * A position in the text. Line and column are 1-based, columns in grapheme clusters as HCL counts them; bytes
 * are 0-based.
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

/** The content of a file or block, in the order of the file. */
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
  /** The range from the type to the last label. */
  range: Range;
  body: Body;
}

export interface Label {
  text: string;
  range: Range;
}

/** What evaluation needs from an expression. The engine keeps the parsed expression itself under `id`. */
export interface Expression {
  id: number;
  range: Range;
  /** The value of a literal, which needs no evaluation. */
  value?: Value;
  /** The word, if the expression is a single bare word such as `string`. */
  keyword?: string;
  /** True for `"${…}"` alone: HCL returns the inner value, not a string. */
  quoted?: boolean;
  /** Elements of a list literal. Their references are in them, not in `variables`. */
  items?: Expression[];
  /** Entries of an object literal. Their references are in them, not in `variables`. */
  entries?: { key: Expression; value: Expression }[];
  variables: Reference[];
  functions: { name: string; range: Range }[];
}

/** A variable of the scope with the attributes and constant indexes that follow: `var.region`. */
export interface Reference {
  name: string;
  steps: { name: string; range: Range }[];
  range: Range;
  /**
   * Whether the value reaches the result unchanged or inside a string. False under operators, conditions,
   * indexes and functions.
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

/** A problem that HCL reports for a text or an evaluation, in HCL's own words. */
export interface HclProblem {
  severity: 'error' | 'warning';
  summary: string;
  detail: string;
  subject?: Range;
  context?: Range;
  /** The code, if a guard of Millrace's engine found the problem instead of HCL. */
  code?:
    | 'nul-character'
    | 'huge-number'
    | 'too-deep'
    | 'too-many-lines'
    | 'secret-used-indirectly'
    | 'number-in-template';
  /** The beginning of the text at `subject`. */
  text?: string;
  /** Help for a problem that HCL did not find itself. The tree is complete despite such a problem. */
  help?: string;
}

/** If there is no value, the problems say why. */
interface Evaluation {
  value?: Value;
  problems: HclProblem[];
}

export type Evaluate = (expression: Expression, scope: Scope) => Evaluation;

/**
 * Converts a value to a type such as `list(string)`, by HCL's rules. Without a value, it only reads the type.
 * Problems of the type have a range, those of the value have none.
 */
export type Convert = (type: Expression, value?: Value) => Evaluation;

/** A parsed text. With errors, the body is what could be read, or absent. */
export interface SyntaxTree {
  body?: Body;
  problems: HclProblem[];
}
