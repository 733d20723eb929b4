/**
 * The JSON values in a text, in order. A value can span several lines. Undefined: the text has something
 * other than JSON values.
 */
export function readJsonStream(text: string): unknown[] | undefined {
  const values: unknown[] = [];
  for (let from = skipSpace(text, 0); from < text.length;) {
    const to = endOfValue(text, from);
    const parsed = parseValue(text.slice(from, to));
    if (parsed === undefined) return undefined;
    values.push(parsed.value);
    from = skipSpace(text, to);
  }
  return values;
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
}

/** How a character changes the depth of nesting. */
const NESTING: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/**
 * The position after the value that begins at `from`. If there is no JSON value, the result has no meaning.
 */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (depth === 0 && isSpace(character)) return at;
    const isQuote = character === '"';
    if (isQuote) at = endOfString(text, at);
    const change = NESTING[character] ?? 0;
    depth += change;
    if (depth <= 0 && (isQuote || change < 0)) return at + 1;
  }
  return text.length;
}

/** Position of the closing quote of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function parseValue(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}
