import { format } from 'prettier';
import { OWN_CODES } from '#cli/finding.ts';
import { diagnosticCodes } from '#domain/language/diagnostic-codes.ts';

export const ERRORS_PAGE = 'docs/reference/errors.md';

const INTRODUCTION = `# Errors and warnings of a pipeline

Everything that is wrong with a pipeline is told at once, in the condition \`Ready\` of the Pipeline and in an Event, each as
\`line:column: message\`. Errors keep a new text from taking effect, and the last good revision runs on; warnings do not. The codes are
stable. This page is made from the program's own catalogue by \`node tools/docs/main.ts\`.
`;

const OF_FILES = `
## Of files

These two come only from the [command line](cli.md), before there is a pipeline to read. Each says itself what to do.
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
