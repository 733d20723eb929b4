import type { Conversion } from './conversion.ts';
import { trimEnds } from './trim-ends.ts';
import { hclAttribute, quoteText, type HclNode } from './write-hcl.ts';
import type { YamlFields } from './yaml-fields.ts';
import type { YamlSpan } from './yaml-tree.ts';

const MAX_NAME_CHARACTERS = 63;

/**
 * Returns a name that Millrace accepts and that is not taken. Warns if it differs from `name`. `allowed`:
 * `type` for the name of a resource type, which cannot have dots.
 */
export function convertName(
  name: string,
  { taken, span, allowed }: { taken: ReadonlySet<string>; span: YamlSpan; allowed: 'name' | 'type' },
  conversion: Conversion,
): string {
  const pattern = allowed === 'type' ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9_.-]/;
  const converted = unusedName(replaceLetters(name, pattern), taken);
  if (converted !== name)
    conversion.warn(
      span,
      `${name} is renamed to ${converted}`,
      'Names have letters, digits, "-", "_" and ".".',
    );
  return converted;
}

/**
 * Writes `old_name` with a name that Millrace accepts. Two names that differ in Concourse can become equal in
 * Millrace. If the pipeline still has a block of the converted name, `old_name` is left out and reported.
 * `taken`: the names of all blocks of this kind.
 */
export function writeOldName(
  fields: YamlFields,
  { body, taken }: { body: HclNode[]; taken: ReadonlySet<string> },
  conversion: Conversion,
): void {
  const text = fields.text('old_name');
  if (text === undefined) return;
  const span = fields.tree('old_name')?.span ?? fields.span;
  const name = convertName(text, { taken: new Set(), span, allowed: 'name' }, conversion);
  if (taken.has(name))
    conversion.leaveOut(
      body,
      span,
      `old_name has no counterpart: ${name} is a name that the pipeline still has`,
    );
  else body.push(hclAttribute('old_name', quoteText([name])));
}

/** Whether Millrace accepts the text as a worker tag or as the name of a serial group. */
export const isTag = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

/** Returns a name of a serial group that resembles the text and is not taken. */
export const convertTag = (text: string, taken: ReadonlySet<string>): string =>
  unusedName(replaceLetters(text.toLowerCase(), /[a-z0-9-]/), taken);

/** Removes accents, and replaces each character that the pattern does not match by `-`. */
export const replaceLetters = (text: string, pattern: RegExp): string =>
  Array.from(text.normalize('NFKD').replaceAll(/\p{M}/gu, ''), (letter) =>
    pattern.test(letter) ? letter : '-',
  ).join('');

/**
 * The name without `-`, `_` and `.` at its ends, cut to `MAX_NAME_CHARACTERS`. If that name is taken, it gets
 * a number at its end.
 */
export function unusedName(name: string, taken: ReadonlySet<string>): string {
  const trimmed = trimEnds(name);
  const base = trimmed === '' ? 'unnamed' : trimmed;
  let unused = trimEnds(base.slice(0, MAX_NAME_CHARACTERS));
  for (let number = 2; taken.has(unused); number++)
    unused = `${trimEnds(base.slice(0, MAX_NAME_CHARACTERS - 5))}-${number}`;
  return unused;
}
