/**
 * A position in the text. `line` and `column` count from 1, `byte` from 0. Columns are grapheme clusters, as
 * HCL counts them.
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
  /** The range of the header: from the type to the last label. */
  range: Range;
  body: Body;
}

export interface Label {
  text: string;
  range: Range;
}

/**
 * What Millrace needs to know about an expression. The HCL engine keeps the parsed expression itself, and
 * finds it by `id`.
 */
export interface Expression {
  id: number;
  range: Range;
  /** The value of a literal, which needs no evaluation. */
  value?: Value;
  /** The word, if the expression is a single bare word such as `string`. */
  keyword?: string;
  /** The expression is only `"${…}"`. HCL evaluates it to the inner value, which may not be a string. */
  quoted?: boolean;
  /**
   * The elements, if the expression is a list literal. Their references are in the elements, not in
   * `variables`.
   */
  items?: Expression[];
  /**
   * The entries, if the expression is an object literal. Their references are in the entries, not in
   * `variables`.
   */
  entries?: { key: Expression; value: Expression }[];
  variables: Reference[];
  functions: { name: string; range: Range }[];
}

/**
 * A reference such as `var.region`: the name of a value in the scope, and the attributes and constant indexes
 * after it (`steps`).
 */
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
  /** `digits`: all digits of the number, without an exponent. */
  | { kind: 'number'; digits: string }
  | { kind: 'bool'; value: boolean }
  | { kind: 'list' | 'set' | 'tuple'; items: Value[] }
  | { kind: 'map' | 'object'; entries: [string, Value][] };

/** The values that expressions can refer to, by name. */
export type Scope = ReadonlyMap<string, Value>;

/**
 * A problem with a text or an evaluation, in the words of HCL, or of Millrace if its own check found the
 * problem.
 */
export interface HclProblem {
  severity: 'error' | 'warning';
  summary: string;
  detail: string;
  /** The range of the problem. */
  subject?: Range;
  /** The larger part of the text around `subject`. */
  context?: Range;
  /** The code of the diagnostic, if a check of Millrace found the problem instead of HCL. */
  code?:
    | 'nul-character'
    | 'huge-number'
    | 'too-deep'
    | 'too-many-lines'
    | 'secret-used-indirectly'
    | 'number-in-template';
  /** The beginning of the source text at `subject`. */
  text?: string;
  /** Help for a problem that HCL did not find itself. The tree is complete despite such a problem. */
  help?: string;
}

/** The result of an evaluation. If there is no value, `problems` says why. */
interface Evaluation {
  value?: Value;
  problems: HclProblem[];
}

export type Evaluate = (expression: Expression, scope: Scope) => Evaluation;

/**
 * Converts a value to a type such as `list(string)`, by the rules of HCL. Without a value, it only checks the
 * type. Problems with the type have a range, problems with the value have none.
 */
export type Convert = (type: Expression, value?: Value) => Evaluation;

/** A parsed text. If there are errors, `body` has what could be read, or is absent. */
export interface SyntaxTree {
  body?: Body;
  problems: HclProblem[];
}
