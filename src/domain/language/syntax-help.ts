import type { Problem } from './syntax.ts';

const oneLineBlock =
  'Give the inner block its own lines: a block on one line may hold one attribute and nothing else.';

/** By the summary of HCL's message: what users need to hear besides. */
const help: [pattern: RegExp, sentence: string][] = [
  [/^Argument definition required/, oneLineBlock],
  [/^Invalid single-argument block definition/, oneLineBlock],
  [/^Missing newline after argument/, 'Begin a new line after each attribute.'],
  [/^Unclosed configuration block/, 'Look for a brace that is missing above this place.'],
  [
    /^Unterminated template string/,
    'Close a text with a double quote on its line, a heredoc with its marker alone on a line.',
  ],
  [
    /^Invalid multi-line string/,
    'Write a text of several lines as a heredoc: <<-EOT, the lines, and EOT alone on a line.',
  ],
  [
    /^Extra characters after interpolation expression/,
    'If the shell is meant to see ${…}, write $${…}; $NAME needs nothing.',
  ],
];

export function helpForProblem(problem: Problem): string | undefined {
  return help.find(([pattern]) => pattern.test(problem.summary))?.[1];
}

/** Whether something of the text may be missing from the tree. An attribute that is set twice leaves the first, and all else. */
export function cutsOff({ severity, summary }: Problem): boolean {
  return severity === 'error' && !summary.startsWith('Attribute redefined');
}
