const MAX_CHARACTERS = 60;

/**
 * A version in one line: its fields, such as `ref: 3f2a91c, message: two lines`. A long line is cut at its
 * end.
 */
export function versionInWords(version: Readonly<Record<string, string>>): string {
  const words = Object.entries(version)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
  const characters = Array.from(words.replaceAll(/\s+/g, ' '));
  return characters.length <= MAX_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
