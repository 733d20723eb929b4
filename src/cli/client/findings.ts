import { count, isError } from '#cli/finding.ts';
import { renderFinding } from '#cli/render-findings.ts';
import type { Paint } from '#cli/terminal.ts';
import type { FindingTold } from './answers.ts';
import type { ConfigText } from './read-config.ts';
import { Refused } from './refused.ts';

/** What the server found wrong, in the lines of the file, as `millrace validate` shows it. */
export function renderTold(findings: readonly FindingTold[], text: ConfigText, paint: Paint): string {
  return findings.map((finding) => `${renderFinding(placed(finding, text), text.source, paint)}\n`).join('');
}

function placed(
  { line, column = 1, end_line: endLine, end_column: endColumn, ...finding }: FindingTold,
  { file }: ConfigText,
) {
  if (line === undefined) return { ...finding, file };
  const start = { line, column };
  const end = { line: endLine ?? line, column: endColumn ?? column + 1 };
  return { ...finding, file, place: { start, end } };
}

/** What is wrong with the text, if that is why the server refused it. */
export function findingsIn(error: unknown): FindingTold[] | undefined {
  if (!(error instanceof Refused) || error.kind !== 'invalid-pipeline') return undefined;
  const { findings }: { findings?: FindingTold[] } = error.document;
  return Array.isArray(findings) ? findings : undefined;
}

export function verdictOn(findings: readonly FindingTold[], { file }: ConfigText, paint: Paint): string {
  const errors = findings.filter(isError).length;
  const warnings = findings.length - errors;
  const parts = [
    errors > 0 ? paint('red', 'not valid') : paint('green', 'valid'),
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  const [verdict = '', ...counts] = parts;
  return `${file}: ${verdict}${counts.length === 0 ? '' : `, ${counts.join(', ')}`}\n`;
}
