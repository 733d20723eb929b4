import { format } from 'prettier';
import { OWN_CODES } from '#cli/finding.ts';
import { diagnosticCodes } from '#domain/language/diagnostic-codes.ts';

export const ERRORS_PAGE = 'docs/reference/errors.md';

const INTRODUCTION = `# Errors and warnings of a pipeline

A Pipeline shows all its errors and warnings at once: in the condition \`Ready\` and in an Event, each
as \`line:column: message\`.
If the place is in a named block, the message begins with it, for example
\`12:5: in job "deploy", put "image" "app": …\`.
If a new text has errors, it does not take effect, and the last good revision keeps running.
Warnings do not stop a text.
The codes are stable.

\`node tools/docs/main.ts\` generates this page from the program's own catalogue.
`;

const OF_FILES = `
## Of files

Only the [command line](cli.md) reports these two, before it has a pipeline to read.
Each message says what to do.
`;

/** The page of all codes, from the catalogues that the compiler and the command line use. */
export function errorsPage(): Promise<string> {
  const rows = Object.entries(diagnosticCodes)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(
      ([code, { severity, meaning, help }]) =>
        `| \`${code}\` | ${severity} | ${cell(meaning)} | ${cell(help)} |`,
    );
  const table = ['| Code | | What it means | What to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const own = Object.entries(OWN_CODES).map(
    ([code, { severity, meaning }]) => `| \`${code}\` | ${severity} | ${cell(meaning)} |`,
  );
  const ownTable = ['| Code | | What it means |', '| --- | --- | --- |', ...own].join('\n');
  return format(`${INTRODUCTION}\n${table}\n${OF_FILES}\n${ownTable}\n`, {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
