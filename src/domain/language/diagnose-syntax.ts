import { diagnoseProblem, type Diagnostic } from './diagnostic.ts';
import { withoutEchoes } from './syntax-help.ts';
import type { Body, Expression, Problem, SyntaxTree } from './syntax.ts';

/** What HCL says of a text as it reads it. */
export function diagnoseSyntax({ problems, body }: SyntaxTree): Diagnostic[] {
  return withoutEchoes(problems).map((problem) =>
    diagnoseProblem(placeAtHeredoc(problem, body), 'syntax-error'),
  );
}

/**
 * HCL finds that a heredoc has no end where the text ends: far from where it begins, which is the place to
 * look at.
 */
function placeAtHeredoc(problem: Problem, body: Body | undefined): Problem {
  const { summary, subject, context } = problem;
  if (summary !== 'Unterminated template string' || !body || !context) return problem;
  // What is in quotes ends at the end of its line; the lines of a heredoc begin at the margin.
  if (subject?.start.byte !== body.range.end.byte || context.start.column !== 1) return problem;
  const starts = expressionsIn(body).map(({ range }) => range.start);
  const [start] = starts
    .filter(({ byte }) => byte < context.start.byte)
    .toSorted((one, other) => other.byte - one.byte);
  if (!start) return problem;
  const end = { ...start, column: start.column + MARK, byte: start.byte + MARK };
  return { ...problem, subject: { start, end } };
}

/** Of `<<`. */
const MARK = 2;

/** All that the tree has by itself, in bodies, lists and objects. Without recursion: the text may be deep. */
function expressionsIn(body: Body): Expression[] {
  const found: Expression[] = [];
  const open: (Body | Expression)[] = [body];
  for (let next = open.pop(); next; next = open.pop()) {
    if ('id' in next) {
      found.push(next);
      open.push(...(next.items ?? []), ...(next.entries ?? []).flatMap(({ key, value }) => [key, value]));
    } else {
      open.push(...next.items.map((item) => (item.kind === 'block' ? item.body : item.expression)));
    }
  }
  return found;
}
