import type { HclProblem, Range } from './syntax.ts';

/** A quote that is not closed on its line. From there on, HCL takes strings for code and code for strings. */
interface UnclosedQuote {
  problem: HclProblem;
  /** The range of the quote. Absent: the quote only seems unclosed because of an earlier error. */
  range?: Range;
  /** Problems at this byte or later are unreliable, because HCL has exchanged strings and code. */
  exchangedFrom: number;
}

/**
 * The summary of HCL's problem about a line break in a quoted string or label. HCL reports every line break.
 */
const LINE_BREAK = 'Invalid multi-line string';

/** The first quote that is not closed. Undefined: every quote is closed. */
export function findUnclosedQuote(problems: readonly HclProblem[]): UnclosedQuote | undefined {
  const [problem] = problems
    .filter(({ summary, subject }) => summary === LINE_BREAK && subject)
    .toSorted((a, b) => startOf(a) - startOf(b));
  if (!problem) return undefined;
  const atLineBreak = problems.filter((other) => startOf(other) === startOf(problem));
  const text = atLineBreak.find(({ summary }) => summary === 'Unterminated template string')?.context;
  if (text) return { problem, range: before(text.start), exchangedFrom: startOf(problem) };
  const label = atLineBreak.find(({ summary }) => summary === 'Invalid string literal')?.context;
  if (label) return { problem, range: label, exchangedFrom: label.start.byte };
  return { problem, exchangedFrom: startOf(problem) };
}

/**
 * The problems without those after the first unclosed quote. The problem about that quote is placed at the
 * quote.
 */
export function withOneUnclosedQuote(problems: readonly HclProblem[]): HclProblem[] {
  const quote = findUnclosedQuote(problems);
  if (!quote) return [...problems];
  const earlier = problems.filter((problem) => startOf(problem) < quote.exchangedFrom);
  if (!quote.range) return earlier.length > 0 ? earlier : [quote.problem];
  return [...earlier, { ...quote.problem, subject: quote.range }];
}

const startOf = ({ subject }: HclProblem): number => subject?.start.byte ?? 0;

/** The range of the character before a position, which is a quote. */
function before(end: Range['start']): Range {
  return { start: { ...end, column: end.column - 1, byte: end.byte - 1 }, end };
}
