import { pluralize, isErrorFinding } from '#cli/finding.ts';
import { renderFinding } from '#cli/render-findings.ts';
import type { Paint } from '#cli/terminal.ts';
import { ProblemError } from './problem-error.ts';
import type { ConfigText } from './read-config.ts';
import type { FindingJson } from './response-types.ts';

/** Renders the server's findings like `millrace validate`, with lines of the file. */
export function renderServerFindings(
  findings: readonly FindingJson[],
  text: ConfigText,
  paint: Paint,
): string {
  return findings
    .map((finding) => `${renderFinding(toLocalFinding(finding, text), text.source, paint)}\n`)
    .join('');
}

function toLocalFinding(
  { line, column = 1, end_line: endLine, end_column: endColumn, ...finding }: FindingJson,
  { file }: ConfigText,
) {
  if (line === undefined) return { ...finding, file };
  const start = { line, column };
  const end = { line: endLine ?? line, column: endColumn ?? column + 1 };
  return { ...finding, file, place: { start, end } };
}

/** The findings in the error, if the server refused the text. */
export function findingsIn(error: unknown): FindingJson[] | undefined {
  if (!(error instanceof ProblemError) || error.kind !== 'invalid-pipeline') return undefined;
  const { findings }: { findings?: FindingJson[] } = error.document;
  return Array.isArray(findings) ? findings : undefined;
}

/** One line for the file: whether it is valid, with the numbers of errors and warnings. */
export function verdictOn(findings: readonly FindingJson[], { file }: ConfigText, paint: Paint): string {
  const errors = findings.filter(isErrorFinding).length;
  const warnings = findings.length - errors;
  const verdict = errors > 0 ? paint('red', 'not valid') : paint('green', 'valid');
  const counts = [
    ...(errors > 0 ? [pluralize(errors, 'error')] : []),
    ...(warnings > 0 ? [pluralize(warnings, 'warning')] : []),
  ];
  return `${file}: ${[verdict, ...counts].join(', ')}\n`;
}
