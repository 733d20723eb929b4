/** Names of characters that are invisible or look like other characters. */
const NAMES: Readonly<Record<string, string>> = {
  '\u00A0': 'a no-break space',
  '\u00AD': 'a soft hyphen',
  '\u200B': 'a zero-width space',
  '\u200C': 'a zero-width non-joiner',
  '\u200D': 'a zero-width joiner',
  '\u202F': 'a narrow no-break space',
  '\u2028': 'a line separator',
  '\u2029': 'a paragraph separator',
  '\u2060': 'a word joiner',
  '\u3000': 'an ideographic space',
  '\uFEFF': 'a byte order mark',
  '\u2013': 'an en dash',
  '\u2014': 'an em dash',
  '\u2212': 'a typographic minus sign',
  '\r': 'a carriage return without a line feed',
};

/**
 * Explains the first character of the text, which HCL does not accept there, and says what to write instead.
 * Undefined: the text is empty.
 */
export function explainCharacter(text: string): { message: string; help: string } | undefined {
  const [character] = text;
  if (character === undefined) return undefined;
  if (character === '$') {
    const name = /^\$\w{1,60}/.exec(text)?.[0] ?? '$NAME';
    return {
      message: `${name} can be used only inside a text`,
      help: `A condition or script is a text: write it in double quotes, such as "${name} == 'prod'".`,
    };
  }
  const name = NAMES[character];
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (name === undefined) {
    const message = `the character "${character}" (${code}) means nothing outside of a text`;
    return { message, help: 'Write texts in double quotes; otherwise remove the character.' };
  }
  const message = `there is ${name} (${code}) here`;
  return { message, help: `Replace it: ${HELP[character] ?? 'write a plain space'}.` };
}

/** What to write instead of a character, if it is not a plain space. */
const HELP: Readonly<Record<string, string>> = {
  '\r': 'save the file with line ends LF or CRLF',
  '\u2013': 'write a hyphen or minus -',
  '\u2014': 'write a hyphen or minus -',
  '\u2212': 'write a hyphen or minus -',
};
