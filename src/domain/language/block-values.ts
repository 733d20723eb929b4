import type { EnvironmentVariable, LocatedString } from './read-attribute.ts';
import type { ReadBlock } from './read-block.ts';
import type { Expression, Label, Range, Value } from './syntax.ts';

/*
 * Functions that read a value from a block after its validation. They return undefined or an empty list if
 * the attribute is absent, has another type or has an error, which was reported.
 */

export function stringAt({ attributes }: ReadBlock, name: string): LocatedString | undefined {
  const attribute = attributes.get(name);
  return attribute?.value?.kind === 'string'
    ? { text: attribute.value.text, range: attribute.range }
    : undefined;
}

export function boolAt({ attributes }: ReadBlock, name: string): boolean | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'bool' ? value.value : undefined;
}

/** An integer, or a duration in seconds. */
export function numberAt({ attributes }: ReadBlock, name: string): number | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'number' ? value.number : undefined;
}

/** The elements of a list of strings. Empty if any element has an error. */
export function stringsAt(block: ReadBlock, name: string): LocatedString[] {
  const value = block.attributes.get(name)?.value;
  return value?.kind === 'strings' && !value.incomplete ? value.items : [];
}

/**
 * The elements of a list of strings that have no error. Only for lists of names, whose elements are checked
 * one by one.
 */
export function namesAt({ attributes }: ReadBlock, name: string): LocatedString[] {
  const value = attributes.get(name)?.value;
  return value?.kind === 'strings' ? value.items : [];
}

/**
 * The range of the attribute's value, if the value is an expression that evaluates to an empty list. A
 * literal `[]` does not count, because it is empty on purpose.
 */
export function rangeOfEmptiedList({ attributes }: ReadBlock, name: string): Range | undefined {
  const attribute = attributes.get(name);
  const value = attribute?.value;
  const emptied =
    value?.kind === 'strings' && value.items.length === 0 && !value.written && !value.incomplete;
  return emptied ? attribute?.range : undefined;
}

export function environmentAt({ attributes }: ReadBlock, name: string): EnvironmentVariable[] {
  const value = attributes.get(name)?.value;
  return value?.kind === 'environment' ? value.variables : [];
}

export function keywordAt({ attributes }: ReadBlock, name: string): string | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'keyword' ? value.word : undefined;
}

export function typeAt({ attributes }: ReadBlock, name: string): Expression | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'type' ? value.expression : undefined;
}

/** The value of an attribute of the type `constant` or `value`. */
export function valueAt({ attributes }: ReadBlock, name: string): Value | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'value' ? value.value : undefined;
}

/** The nested blocks of this type, in order. */
export const blocksOf = ({ blocks }: ReadBlock, type: string): ReadBlock[] =>
  blocks.filter((block) => block.type === type);

/** The label at `index`. The schema of the block must have a label there. */
export function labelAt({ labels, range }: ReadBlock, index: number): Label {
  return labels[index] ?? { text: '', range };
}

/**
 * Whether all nested blocks and parameters of the block could be read. Errors in its other attributes do not
 * count.
 */
export const isFullyRead = ({ misread, blocks }: ReadBlock): boolean =>
  misread.size === 0 && blocks.every(isFullyRead);
