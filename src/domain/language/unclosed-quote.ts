import type { HclProblem, Range } from './syntax.ts';

/** A quote that is not closed on its line. HCL reads the text after it with texts and code exchanged. */
interface UnclosedQuote {
  problem: HclProblem;
  /** The range of the quote. Absent if the quote follows only from an earlier error. */
  range?: Range;
  /** What starts at this byte or later is not to be trusted. */
  exchangedFrom: number;
}

/** HCL's summary for a line break in a quoted text or label. It reports each one. */
const LINE_BREAK = 'Invalid multi-line string';

/** The first quote that is not closed. */
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

/** Keeps only the first unclosed quote, and drops what HCL reports after it. */
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
