import { diagnoseProblem, type Diagnostic } from './diagnostic.ts';
import { withoutFollowUpErrors } from './syntax-help.ts';
import type { Body, Expression, HclProblem, SyntaxTree } from './syntax.ts';
import { findUnclosedQuote, withOneUnclosedQuote } from './unclosed-quote.ts';

/** The syntax errors of a text, without those that only follow from another one. */
export function diagnoseSyntax({ problems, body }: SyntaxTree): Diagnostic[] {
  return withOneUnclosedQuote(withoutFollowUpErrors(problems)).map((problem) =>
    diagnoseProblem(placeAtHeredoc(problem, body), 'syntax-error'),
  );
}

/**
 * The diagnostics without those that only follow from a syntax error. Two kinds are removed: diagnostics in
 * the part of the text that an unclosed quote makes unreadable, and diagnostics about an invalid name with a
 * syntax error in it.
 */
export function withoutFollowUpDiagnostics(
  diagnostics: readonly Diagnostic[],
  { problems }: SyntaxTree,
): Diagnostic[] {
  const end = findUnclosedQuote(problems)?.exchangedFrom ?? Infinity;
  const errors = problems.flatMap(({ subject }) => subject?.start.byte ?? []);
  const isAboutBrokenName = ({ code, range }: Diagnostic): boolean =>
    code === 'invalid-name' &&
    errors.some((byte) => range && range.start.byte <= byte && byte < range.end.byte);
  return diagnostics.filter(
    (diagnostic) => (diagnostic.range?.start.byte ?? -1) < end && !isAboutBrokenName(diagnostic),
  );
}

/**
 * Moves the error about an unterminated heredoc from the end of the text, where HCL reports it, to the start
 * of the heredoc.
 */
function placeAtHeredoc(problem: HclProblem, body: Body | undefined): HclProblem {
  const { summary, subject, context } = problem;
  if (summary !== 'Unterminated template string' || !body || !context) return problem;
  // An unterminated quoted string has the same summary, but its subject starts at the quote.
  if (subject?.start.byte !== body.range.end.byte || context.start.column !== 1) return problem;
  const expressionStarts = expressionsIn(body).map(({ range }) => range.start);
  const [heredocStart] = expressionStarts
    .filter(({ byte }) => byte < context.start.byte)
    .toSorted((one, other) => other.byte - one.byte);
  if (!heredocStart) return problem;
  const { line, column, byte } = heredocStart;
  const end = { line, column: column + MARKER_LENGTH, byte: byte + MARKER_LENGTH };
  return { ...problem, subject: { start: heredocStart, end } };
}

/** Length of `<<`. */
const MARKER_LENGTH = 2;

/** All expressions in bodies, lists and objects. Iterative, because the tree can be deep. */
function expressionsIn(body: Body): Expression[] {
  const expressions: Expression[] = [];
  const pending: (Body | Expression)[] = [body];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ('id' in next) {
      expressions.push(next);
      pending.push(...(next.items ?? []), ...(next.entries ?? []).flatMap(({ key, value }) => [key, value]));
    } else {
      pending.push(...next.items.map((item) => (item.kind === 'block' ? item.body : item.expression)));
    }
  }
  return expressions;
}
