import { diagnosticCodes, type DiagnosticCode } from './diagnostic-codes.ts';
import type { InstanceName } from './in-instances.ts';
import { explainProblem } from './syntax-help.ts';
import type { HclProblem, Range } from './syntax.ts';

export interface Diagnostic {
  severity: 'error' | 'warning';
  code: DiagnosticCode;
  /** Absent if the diagnostic is not about a place in the text. */
  range?: Range;
  /** One line without a full stop at its end. */
  message: string;
  /** A sentence that says what to do. */
  help: string;
  /**
   * The named blocks around the place, outermost first, at most two: `job "deploy"`, `put "git" "app"`.
   * Absent at the top level of the text.
   */
  blocks?: string[];
  /**
   * The number of another line of the text, which the message mentions as `in line <number>`. If the text is
   * part of a file, code that shows the message must replace the number by that of the line in the file.
   */
  otherLine?: number;
  /** The instance of a group with the problem. `completeMessages` moves it into the message. */
  instance?: InstanceName;
  /** The values of the names in the expression. `completeMessages` moves them into the message. */
  values?: string;
  /**
   * The full name of the variable, if the code is about the value of a variable. The message may shorten it.
   */
  variable?: string;
}

export type Report = (diagnostic: Diagnostic) => void;

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

const MAX_NAME_CHARACTERS = 500;

/**
 * Makes a name from the text fit for a message: spells out control characters and shortens it if it is long.
 */
export function onOneLine(text: string): string {
  const printable = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return char === '\n' ? String.raw`\n` : String.raw`\u${code}`;
  });
  return printable.length <= MAX_NAME_CHARACTERS
    ? printable
    : `${printable.slice(0, MAX_NAME_CHARACTERS - 1)}…`;
}

/**
 * Describes a problem of HCL in HCL's own words, but with places as `in line <number>`. `code` applies if the
 * problem has no code.
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

/** Matches places as HCL writes them in a message, without a file name before the colon. */
const HCL_PLACE = / at :(\d+),\d+-(?:\d+,)?\d+/;

/** `line:column: in <blocks>: message`, as the conditions of a Pipeline show it. */
export function renderDiagnostic({ range, blocks, message }: Diagnostic): string {
  const text = withBlocks(message, blocks);
  return range ? `${range.start.line}:${range.start.column}: ${text}` : text;
}

/** Puts before the message those blocks that the message does not name itself. */
export function withBlocks(message: string, blocks: readonly string[] = []): string {
  const others = blocks.filter((block) => !message.includes(block));
  return others.length === 0 ? message : `in ${others.join(', ')}: ${message}`;
}

/** Sorts by place and drops duplicates. Diagnostics without a place come last. */
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
