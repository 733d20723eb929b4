import type { Conversion } from './conversion.ts';
import { parseReference, REFERENCE, type VariableReference } from './variable-table.ts';
import { quoteText, writeList, writeObject, type TemplatePart } from './write-hcl.ts';
import type { YamlSpan, YamlTree } from './yaml-tree.ts';

/**
 * Where a value is used. `plain`: everyone can read the value, so it cannot contain secrets. `secret`: the
 * value can contain secrets. `running`: the value can contain secrets, and refer to values that are known
 * only while the build runs.
 */
export type ValuePlace = 'plain' | 'secret' | 'running';

/** Splits a string at its references into texts and variables. */
export function templateParts(
  text: string,
  span: YamlSpan,
  place: ValuePlace,
  conversion: Conversion,
): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const reference = parseReference(match[1] ?? '');
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (reference.source !== '.')
      parts.push({ variable: conversion.variables.use(reference, span, place === 'plain') });
    else
      parts.push(
        place === 'running' ? `\${${runningName(reference)}}` : keepReference(match[0], span, conversion),
      );
  }
  parts.push(text.slice(end));
  const joined = joinParts(parts);
  return joined.length === 0 ? [''] : joined;
}

/** Keeps the reference as text, and reports a warning. */
function keepReference(text: string, span: YamlSpan, conversion: Conversion): string {
  conversion.warn(
    span,
    `${text} is known only while the build runs, so it stays as text here`,
    'Replace it.',
  );
  return text;
}

/** The environment variable that the task for a `load_var` sets. */
const runningName = ({ path, fields }: Pick<VariableReference, 'path' | 'fields'>): string =>
  `TASK_${wordOf(path)}_${fields.length === 0 ? 'VALUE' : wordOf(fields.join('_'))}`;

/**
 * The text as part of the name of an environment variable: letters in upper case, and `_` for all characters
 * but ASCII letters and digits.
 */
export const wordOf = (text: string): string =>
  Array.from(text.toUpperCase(), (letter) => (/[A-Z0-9]/.test(letter) ? letter : '_')).join('');

/** Joins adjacent texts, and drops empty ones. */
export function joinParts(parts: readonly TemplatePart[]): TemplatePart[] {
  const joinedParts: TemplatePart[] = [];
  for (const part of parts) {
    const last = joinedParts.at(-1);
    if (part === '') continue;
    if (typeof part === 'string' && typeof last === 'string') joinedParts.splice(-1, 1, `${last}${part}`);
    else joinedParts.push(part);
  }
  return joinedParts;
}

/** Writes a value as an HCL expression of the same type. */
export function writeValue(tree: YamlTree, place: ValuePlace, conversion: Conversion): string {
  if (tree.kind === 'list') return writeList(tree.items.map((item) => writeValue(item, place, conversion)));
  if (tree.kind === 'map')
    return writeObject(tree.entries.map(({ key, value }) => [key, writeValue(value, place, conversion)]));
  return typeof tree.value === 'string'
    ? quoteText(templateParts(tree.value, tree.span, place, conversion))
    : String(tree.value);
}
