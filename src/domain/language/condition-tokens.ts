export type Operator = '==' | '!=' | '<' | '>' | 'contains' | '!contains';

/** Adjacent strings and variables, such as `"v$GET_APP_TAG"`. */
export type Operand = (string | { variable: string })[];

export type Token = { character: number } & (
  | { kind: '(' | ')' | '&&' | '||' }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'operand'; operand: Operand }
);

type Answer = { tokens: Token[] } | { character: number; reason: string };

const operators: readonly Operator[] = ['==', '!=', '<', '>', 'contains', '!contains'];

/** The first pattern that matches wins. */
const shapes: readonly [kind: string, pattern: RegExp][] = [
  ['space', /\s+/y],
  ['mark', /\(|\)|&&|\|\|/y],
  ['unknown', /<=|>=|=~|!~|===|!==/y],
  ['operator', /==|!=|<|>|!contains\b|contains(?![^\s()&|=!<>])/y],
  ['operand', /'[^']*'|"(?:[^"\\]|\\.)*"|\$\{\w+\}|\$\w+|[^\s()&|=!<>'"$]+/y],
];

export function readTokens(text: string): Answer {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const [kind, found] = match(text, at);
    const token = makeToken(kind, found, at + 1);
    if (token && 'reason' in token) return token;
    if (token) tokens.push(token);
    at += found.length;
  }
  return { tokens };
}

function match(text: string, at: number): [kind: string, found: string] {
  for (const [kind, pattern] of shapes) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return [kind, kind === 'operand' ? wholeOperand(pattern, found, text) : found];
  }
  return ['nothing', text[at] ?? ''];
}

/** Adjacent pieces are one operand. */
function wholeOperand(piece: RegExp, first: string, text: string): string {
  const pieces = [first];
  for (let next = piece.exec(text); next !== null; next = piece.exec(text)) pieces.push(next[0]);
  return pieces.join('');
}

function makeToken(
  kind: string,
  found: string,
  character: number,
): Token | { character: number; reason: string } | undefined {
  switch (kind) {
    case 'space':
      return undefined;
    case 'operand':
      return { kind: 'operand', operand: partsOf(found), character };
    case 'unknown':
      return { character, reason: `there is no operator ${found}` };
    default:
      return markOf(found, character) ?? { character, reason: explain(found) };
  }
}

function markOf(found: string, character: number): Token | undefined {
  if (found === '(' || found === ')' || found === '&&' || found === '||') return { kind: found, character };
  const operator = operators.find((known) => known === found);
  return operator && { kind: 'operator', operator, character };
}

function explain(found: string): string {
  if (found === "'" || found === '"') return 'a closing quote is missing';
  if (found === '!') return 'there is no operator ! for a whole condition; write the opposite comparison';
  if (found === '$') return '$ must be followed by the name of a variable';
  const meant = found === '=' ? '==' : found === '&' || found === '|' ? found + found : undefined;
  return `${found} means nothing here${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** Variables are expanded outside quotes and in double quotes, as in a shell. */
function partsOf(written: string): Operand {
  const pieces = written.match(/'[^']*'|"(?:[^"\\]|\\.)*"|\$\{\w+\}|\$\w+|[^'"$]+/g) ?? [];
  return pieces.flatMap((piece) => {
    if (piece.startsWith("'")) return [piece.slice(1, -1)];
    if (piece.startsWith('"')) return fillable(piece.slice(1, -1));
    return fillable(piece);
  });
}

function fillable(text: string): Operand {
  return [...text.matchAll(/\$\{(\w+)\}|\$(\w+)|\\(["\\$])|([^$\\]+|[$\\])/g)].map(
    ([, braced, bare, escaped, plain]) => {
      const variable = braced ?? bare;
      return variable === undefined ? (escaped ?? plain ?? '') : { variable };
    },
  );
}
