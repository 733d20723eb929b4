import type { Operand, Operator } from '#domain/language/condition-tokens.ts';
import type { Condition } from '#domain/language/condition.ts';

/**
 * Evaluates the condition. An unset variable is an empty string. `lists`: names of variables that hold lists
 * joined by commas; in them, `contains` looks for a member.
 */
export function evaluateCondition(
  condition: Condition,
  variables: Readonly<Record<string, string>>,
  lists: readonly string[] = [],
): boolean {
  if (condition.kind === 'compare') return compare(condition, variables, lists);
  const left = evaluateCondition(condition.left, variables, lists);
  if (left === (condition.kind === 'or')) return left;
  return evaluateCondition(condition.right, variables, lists);
}

function compare(
  { operator, left, right }: Condition & { kind: 'compare' },
  variables: Readonly<Record<string, string>>,
  lists: readonly string[],
): boolean {
  const [first, ...others] = left;
  const isList = typeof first === 'object' && others.length === 0 && lists.includes(first.variable);
  const [one, other] = [fill(left, variables), fill(right, variables)];
  if (!isList || !operator.endsWith('contains')) return comparisons[operator](one, other);
  return one.split(',').includes(other) === (operator === 'contains');
}

function fill(operand: Operand, variables: Readonly<Record<string, string>>): string {
  return operand
    .map((part) => {
      if (typeof part === 'string') return part;
      return Object.hasOwn(variables, part.variable) ? (variables[part.variable] ?? '') : '';
    })
    .join('');
}

const comparisons: Record<Operator, (left: string, right: string) => boolean> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  contains: (left, right) => left.includes(right),
  '!contains': (left, right) => !left.includes(right),
  '<': (left, right) => order(left, right) < 0,
  '>': (left, right) => order(left, right) > 0,
};

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Compares as numbers if both are numbers, otherwise by code points. */
function order(left: string, right: string): number {
  if (number.test(left) && number.test(right)) return Number(left) - Number(right);
  const [ones, others] = [left[Symbol.iterator](), right[Symbol.iterator]()];
  for (;;) {
    const [one, other] = [ones.next(), others.next()];
    if (one.done === true || other.done === true)
      return Number(other.done === true) - Number(one.done === true);
    const difference = (one.value.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}
