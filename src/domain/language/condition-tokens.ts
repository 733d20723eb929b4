export type Operator = '==' | '!=' | '<' | '>' | 'contains' | '!contains';

/** One side of a comparison: strings and variables that are joined, such as `"v$GET_APP_TAG"`. */
export type Operand = (string | { variable: string })[];

/** A token of a condition. `character`: where it begins in the text, counted from 1. */
export type Token = { character: number } & (
  | { kind: '(' | ')' | '&&' | '||' }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'operand'; operand: Operand }
);

type TokensOrFault = { tokens: Token[] } | { character: number; reason: string };

const operators: readonly Operator[] = ['==', '!=', '<', '>', 'contains', '!contains'];

/** The kinds of tokens. At each position, the first pattern that matches decides. */
const tokenPatterns: readonly [kind: string, pattern: RegExp][] = [
  ['space', /\s+/y],
  ['mark', /\(|\)|&&|\|\|/y],
  ['unknown', /<=|>=|=~|!~|===|!==/y],
  ['operator', /==|!=|<|>|!contains\b|contains(?![^\s()&|=!<>])/y],
  ['operand', /'[^']*'|"(?:[^"\\]|\\.)*"|\$\{\w+\}|\$\w+|[^\s()&|=!<>'"$]+/y],
];

/** Splits the text of a condition into tokens, or says where and why this is impossible. */
export function readTokens(text: string): TokensOrFault {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const [kind, written] = matchToken(text, at);
    const token = makeToken(kind, written, at + 1);
    if (token && 'reason' in token) return token;
    if (token) tokens.push(token);
    at += written.length;
  }
  return { tokens };
}

function matchToken(text: string, at: number): [kind: string, written: string] {
  for (const [kind, pattern] of tokenPatterns) {
    pattern.lastIndex = at;
    const written = pattern.exec(text)?.[0];
    if (written !== undefined)
      return [kind, kind === 'operand' ? wholeOperand(pattern, written, text) : written];
  }
  return ['nothing', text[at] ?? ''];
}

/** The whole operand: its first piece, and the pieces directly after it. Moves `piece.lastIndex`. */
function wholeOperand(piece: RegExp, first: string, text: string): string {
  const pieces = [first];
  for (let next = piece.exec(text); next !== null; next = piece.exec(text)) pieces.push(next[0]);
  return pieces.join('');
}

function makeToken(
  kind: string,
  written: string,
  character: number,
): Token | { character: number; reason: string } | undefined {
  switch (kind) {
    case 'space':
      return undefined;
    case 'operand':
      return { kind: 'operand', operand: readOperand(written), character };
    case 'unknown':
      return { character, reason: `there is no operator ${written}` };
    default:
      return readSymbol(written, character) ?? { character, reason: explainUnexpected(written) };
  }
}

function readSymbol(written: string, character: number): Token | undefined {
  if (written === '(' || written === ')' || written === '&&' || written === '||')
    return { kind: written, character };
  const operator = operators.find((known) => known === written);
  return operator && { kind: 'operator', operator, character };
}

/** The operators that people probably mean by a single character. */
const INTENDED_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
]);

function explainUnexpected(written: string): string {
  if (written === "'" || written === '"') return 'a closing quote is missing';
  if (written === '!') return 'there is no operator ! for a whole condition; write the opposite comparison';
  if (written === '$') return '$ must be followed by the name of a variable';
  const suggestion = INTENDED_OPERATORS.get(written);
  return `${written} means nothing here${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}

/**
 * Splits an operand into strings and variables. As in a shell, variables count outside of quotes and in
 * double quotes, but not in single quotes.
 */
function readOperand(written: string): Operand {
  const pieces = written.match(/'[^']*'|"(?:[^"\\]|\\.)*"|\$\{\w+\}|\$\w+|[^'"$]+/g) ?? [];
  return pieces.flatMap((piece) => {
    if (piece.startsWith("'")) return [piece.slice(1, -1)];
    if (piece.startsWith('"')) return splitAtVariables(piece.slice(1, -1));
    return splitAtVariables(piece);
  });
}

function splitAtVariables(text: string): Operand {
  return [...text.matchAll(/\$\{(\w+)\}|\$(\w+)|\\(["\\$])|([^$\\]+|[$\\])/g)].map(
    ([, braced, bare, escaped, plain]) => {
      const variable = braced ?? bare;
      return variable === undefined ? (escaped ?? plain ?? '') : { variable };
    },
  );
}
