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
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const allowedLetters = Array.from(plain, (letter) => (pattern.test(letter) ? letter : '-')).join('');
  const base = trimEnds(allowedLetters.slice(0, MAX_CHARACTERS));
  let converted = base === '' ? 'unnamed' : base;
  for (let number = 2; taken.has(converted); number++)
    converted = `${base.slice(0, MAX_CHARACTERS - 5)}-${number}`;
  if (converted !== name)
    conversion.warn(span, `${name} is called ${converted}`, 'Names have letters, digits, "-", "_" and ".".');
  return converted;
}

function trimEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text[start])) start++;
  while (end > start && isEdge(text[end - 1])) end--;
  return text.slice(start, end);
}

const isEdge = (letter: string | undefined): boolean => letter !== undefined && /[_.-]/.test(letter);
