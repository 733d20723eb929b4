import { readTokens, type Operand, type Operator, type Token } from './condition-tokens.ts';

/**
 * A parsed condition. Variables get their values only when the condition is evaluated, so that no value can
 * change the logic.
 */
export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'compare'; operator: Operator; left: Operand; right: Operand };

export interface ConditionFault {
  /** Where the fault is: the number of the character in the text, from 1. */
  character: number;
  reason: string;
}

const MAX_BRACKET_DEPTH = 100;

/**
 * Parses a condition, or says what is wrong with it. A condition has comparisons that `&&` and `||` join;
 * `&&` binds tighter. For example: `$GET_APP_REF != '' && ($INPUT_ENV == prod || $BUILD_NUMBER > 10)`.
 */
export function parseCondition(text: string): Condition | ConditionFault {
  const tokens = readTokens(text);
  if ('reason' in tokens) return tokens;
  const parser = new Parser(tokens.tokens, text.length + 1);
  try {
    return parser.parse();
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

class Fault extends Error {
  readonly fault: ConditionFault;
  constructor(fault: ConditionFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: number;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], end: number) {
    this.#tokens = tokens;
    this.#end = end;
  }

  parse(): Condition {
    if (this.#tokens.length === 0) this.#fail('it is empty');
    const condition = this.#disjunction();
    const unread = this.#peek();
    if (unread?.kind === ')') this.#fail('there is no bracket that this one closes');
    if (unread) this.#fail(`&& or || is missing before this${meantOperator(unread)}`);
    return condition;
  }

  #disjunction(): Condition {
    let left = this.#conjunction();
    while (this.#take('||')) left = { kind: 'or', left, right: this.#conjunction() };
    return left;
  }

  #conjunction(): Condition {
    let left = this.#bracketsOrComparison();
    while (this.#take('&&')) left = { kind: 'and', left, right: this.#bracketsOrComparison() };
    return left;
  }

  #bracketsOrComparison(): Condition {
    if (!this.#take('(')) return this.#comparison();
    this.#depth += 1;
    if (this.#depth > MAX_BRACKET_DEPTH)
      this.#fail(`brackets are nested more than ${MAX_BRACKET_DEPTH} deep`);
    const inner = this.#disjunction();
    if (!this.#take(')')) this.#fail('a closing bracket is missing');
    this.#depth -= 1;
    return inner;
  }

  #comparison(): Condition {
    const left = this.#operand();
    const token = this.#peek();
    if (token?.kind !== 'operator') return this.#fail("a comparison is missing, such as == 'yes'");
    this.#next += 1;
    return { kind: 'compare', operator: token.operator, left, right: this.#operand() };
  }

  #operand(): Operand {
    const token = this.#peek();
    if (token?.kind !== 'operand')
      return this.#fail('a value is missing: $NAME, a word, or a text in quotes');
    this.#next += 1;
    return token.operand;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #take(kind: Token['kind']): boolean {
    if (this.#peek()?.kind !== kind) return false;
    this.#next += 1;
    return true;
  }

  #fail(reason: string): never {
    throw new Fault({ character: this.#peek()?.character ?? this.#end, reason });
  }
}

/**
 * The end of a message that suggests `&&` or `||`, if the token is the word `and` or `or`. Otherwise empty.
 */
function meantOperator(token: Token): string {
  if (token.kind !== 'operand') return '';
  const [word] = token.operand;
  if (word === 'and') return '; did you mean &&?';
  return word === 'or' ? '; did you mean ||?' : '';
}

/** The names of the condition's variables, without duplicates. */
export function variablesOf(condition: Condition): string[] {
  const names =
    condition.kind === 'compare'
      ? [...condition.left, ...condition.right].flatMap((part) =>
          typeof part === 'string' ? [] : [part.variable],
        )
      : [...variablesOf(condition.left), ...variablesOf(condition.right)];
  return [...new Set(names)];
}

/** The operands without variables in the comparisons of the condition, as texts. */
export function wordsOf(condition: Condition): string[] {
  if (condition.kind !== 'compare') return [...wordsOf(condition.left), ...wordsOf(condition.right)];
  return [condition.left, condition.right].flatMap((operand) =>
    operand.every((part) => typeof part === 'string') ? [operand.join('')] : [],
  );
}
