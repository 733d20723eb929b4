const MAX_COLUMNS = 140;
const MAX_COMMENT_COLUMNS = 110;
/** A line with a longer word, such as a public key, cannot be wrapped. */
const MAX_WORD = 100;

/**
 * The numbers of the lines of a TypeScript file that are too wide, from 1. The formatter wraps no comments or
 * texts.
 */
export function wideLines(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (isWide(line) ? [index + 1] : []));
}

function isWide(line: string): boolean {
  const limit = /^\s*(?:\* |\/\*|\/\/)/.test(line) ? MAX_COMMENT_COLUMNS : MAX_COLUMNS;
  return line.length > limit && line.split(' ').every((word) => word.length <= MAX_WORD);
}
