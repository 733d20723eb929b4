import { diagnosticCodes, type DiagnosticCode } from './diagnostic-codes.ts';
import type { InstanceName } from './in-instances.ts';
import { explainProblem } from './syntax-help.ts';
import type { HclProblem, Range } from './syntax.ts';

/** An error in the text of a pipeline, or a warning about it. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  code: DiagnosticCode;
  /** Absent if the diagnostic is not about a part of the text. */
  range?: Range;
  /** One line without a full stop at its end. */
  message: string;
  /** A sentence that says what to do. */
  help: string;
  /**
   * The named blocks around the range, outermost first, at most two: `job "deploy"`, `put "git" "app"`.
   * Absent at the top level of the text.
   */
  blocks?: string[];
  /**
   * The number of another line, which the message mentions as `in line <number>`. It counts lines of the
   * pipeline's text. If the text is part of a file, code that shows the message must replace it by the number
   * of the line in the file.
   */
  otherLine?: number;
  /** The instance of a group that has the problem. `completeMessages` adds it to the message. */
  instance?: InstanceName;
  /**
   * The values of the names in the expression, as `describeValues` writes them. `completeMessages` adds them
   * to the message.
   */
  values?: string;
  /**
   * The full name of the variable, if the diagnostic is about the value of a variable. The message may have a
   * shortened name.
   */
  variable?: string;
}

/** Records a diagnostic. */
export type Report = (diagnostic: Diagnostic) => void;

/** Makes a diagnostic. `help` undefined: the help of the code. */
export function diagnose(
  code: DiagnosticCode,
  range: Range | undefined,
  message: string,
  help?: string,
): Diagnostic {
  const entry = diagnosticCodes[code];
  return {
    severity: entry.severity,
    code,
    ...(range && { range }),
    message: onOneLine(message),
    help: onOneLine(help ?? entry.help),
  };
}

const MAX_TEXT_CHARACTERS = 500;

/** A text as part of a message: control characters are spelled out, and a long text is cut. */
export function onOneLine(text: string): string {
  const printable = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return char === '\n' ? String.raw`\n` : String.raw`\u${code}`;
  });
  return printable.length <= MAX_TEXT_CHARACTERS
    ? printable
    : `${printable.slice(0, MAX_TEXT_CHARACTERS - 1)}…`;
}

/**
 * Makes a diagnostic of a problem that HCL reports. Uses the message of HCL, unless `explainProblem` has a
 * better one. A position in the message becomes `in line <number>`. `code` applies if the problem has no code
 * of its own.
 */
export function diagnoseProblem(problem: HclProblem, code: DiagnosticCode): Diagnostic {
  const hclDetail = problem.detail.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
  const otherLine = HCL_PLACE.exec(hclDetail)?.[1];
  const detail = hclDetail.replace(HCL_PLACE, ' in line $1');
  const explained = explainProblem(problem);
  const diagnostic = diagnose(
    problem.code ?? code,
    problem.subject ?? problem.context,
    explained.message ?? (detail === '' ? problem.summary : `${problem.summary}: ${detail}`),
    explained.help,
  );
  return {
    ...diagnostic,
    severity: problem.severity,
    ...(otherLine !== undefined && { otherLine: Number(otherLine) }),
  };
}

/** Matches a position as HCL writes it in a message. The name of the file before the colon is empty. */
const HCL_PLACE = / at :(\d+),\d+-(?:\d+,)?\d+/;

/** The diagnostic as the conditions of a Pipeline object show it: `line:column: in <blocks>: message`. */
export function renderDiagnostic({ range, blocks, message }: Diagnostic): string {
  const text = withBlocks(message, blocks);
  return range ? `${range.start.line}:${range.start.column}: ${text}` : text;
}

/** The message, with the blocks that it does not name itself in front of it. */
export function withBlocks(message: string, blocks: readonly string[] = []): string {
  const others = blocks.filter((block) => !message.includes(block));
  return others.length === 0 ? message : `in ${others.join(', ')}: ${message}`;
}

/** Sorts by position in the text and drops duplicates. Diagnostics without a range come last. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const position = ({ range }: Diagnostic) => range?.start.byte ?? Infinity;
  const unique = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.code} ${renderDiagnostic(diagnostic)}`;
    if (!unique.has(key)) unique.set(key, diagnostic);
  }
  return [...unique.values()].toSorted((a, b) =>
    position(a) < position(b) ? -1 : Number(position(a) > position(b)),
  );
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error');
