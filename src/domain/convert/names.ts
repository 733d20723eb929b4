import type { Conversion } from './conversion.ts';
import type { YamlSpan } from './yaml-tree.ts';

const MAX_CHARACTERS = 63;

/** Returns a name that Millrace accepts, and warns if it differs. Names of types have no dots. */
export function convertName(
  name: string,
  { taken, span, allowed }: { taken: ReadonlySet<string>; span: YamlSpan; allowed: 'name' | 'type' },
  conversion: Conversion,
): string {
  const pattern = allowed === 'type' ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9_.-]/;
  const converted = unusedName(replaceLetters(name, pattern), taken);
  if (converted !== name)
    conversion.warn(span, `${name} is called ${converted}`, 'Names have letters, digits, "-", "_" and ".".');
  return converted;
}

export const isTag = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

/** Returns a tag, or a name of a serial group, that is like the text and not taken. */
export const convertTag = (text: string, taken: ReadonlySet<string>): string =>
  unusedName(replaceLetters(text.toLowerCase(), /[a-z0-9-]/), taken);

/** Removes accents, and replaces the letters that the pattern does not match. */
const replaceLetters = (text: string, pattern: RegExp): string =>
  Array.from(text.normalize('NFKD').replaceAll(/\p{M}/gu, ''), (letter) =>
    pattern.test(letter) ? letter : '-',
  ).join('');

/** The name without signs at its ends. If it is taken, with a number. */
function unusedName(name: string, taken: ReadonlySet<string>): string {
  const trimmed = trimEnds(name);
  const base = trimmed === '' ? 'unnamed' : trimmed;
  let unused = trimEnds(base.slice(0, MAX_CHARACTERS));
  for (let number = 2; taken.has(unused); number++)
    unused = `${trimEnds(base.slice(0, MAX_CHARACTERS - 5))}-${number}`;
  return unused;
}

function trimEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text[start])) start++;
  while (end > start && isEdge(text[end - 1])) end--;
  return text.slice(start, end);
}

const isEdge = (letter: string | undefined): boolean => letter !== undefined && /[_.-]/.test(letter);
