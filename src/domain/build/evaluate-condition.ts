import type { Operand, Operator } from '#domain/language/condition-tokens.ts';
import type { Condition } from '#domain/language/condition.ts';

/**
 * Evaluates the condition. A variable that is not set is an empty string. `lists`: names of the variables
 * whose value is a list, joined by commas. For these, `contains` looks for an element of the list.
 */
export function evaluateCondition(
  condition: Condition,
  variables: Readonly<Record<string, string>>,
  lists: readonly string[] = [],
): boolean {
  if (condition.kind === 'compare') return compare(condition, variables, lists);
  const left = evaluateCondition(condition.left, variables, lists);
  const leftDecides = left === (condition.kind === 'or');
  if (leftDecides) return left;
  return evaluateCondition(condition.right, variables, lists);
}

function compare(
  { operator, left, right }: Condition & { kind: 'compare' },
  variables: Readonly<Record<string, string>>,
  lists: readonly string[],
): boolean {
  const [first, ...others] = left;
  const isList = typeof first === 'object' && others.length === 0 && lists.includes(first.variable);
  const leftText = expandOperand(left, variables);
  const rightText = expandOperand(right, variables);
  if (!isList || !operator.endsWith('contains')) return comparisons[operator](leftText, rightText);
  return leftText.split(',').includes(rightText) === (operator === 'contains');
}

function expandOperand(operand: Operand, variables: Readonly<Record<string, string>>): string {
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
  '<': (left, right) => compareOrder(left, right) < 0,
  '>': (left, right) => compareOrder(left, right) > 0,
};

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Compares as numbers if both are numbers, otherwise by code points. */
function compareOrder(left: string, right: string): number {
  if (NUMBER.test(left) && NUMBER.test(right)) return Number(left) - Number(right);
  const [leftCharacters, rightCharacters] = [left[Symbol.iterator](), right[Symbol.iterator]()];
  for (;;) {
    const [leftNext, rightNext] = [leftCharacters.next(), rightCharacters.next()];
    if (leftNext.done === true || rightNext.done === true)
      return Number(rightNext.done === true) - Number(leftNext.done === true);
    const difference = (leftNext.value.codePointAt(0) ?? 0) - (rightNext.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}
