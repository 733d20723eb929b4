/**
 * The JSON values in a text, one after another, each over any number of lines. Undefined: there is something
 * else in it.
 */
export function readJsonStream(text: string): unknown[] | undefined {
  const values: unknown[] = [];
  for (let from = skipSpace(text, 0); from < text.length;) {
    const to = endOfValue(text, from);
    const parsed = parse(text.slice(from, to));
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

/** Where an object, array or other value ends, if it is one. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '{' || character === '[')) depth += 1;
    else if (!isQuoted && (character === '}' || character === ']')) depth -= 1;
    else if (!isQuoted && depth === 0 && isSpace(character)) return at;
    const closes = !isQuoted && (character === '}' || character === ']' || character === '"');
    if (closes && depth <= 0) return at + 1;
  }
  return text.length;
}

function parse(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}
