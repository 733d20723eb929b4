import { explainCharacter } from './explain-character.ts';
import type { HclProblem } from './syntax.ts';

const ONE_LINE_BLOCK =
  'Give the inner block its own lines: a block on one line may hold one attribute and nothing else.';
const FOR_EXPRESSION =
  'Write [for <name> in <list> : <value>], or { for <key>, <value> in <map> : <key> => <value> }.';
const IF_AND_FOR = 'Write %{ if … }…%{ endif } or %{ for … }…%{ endfor }; for a plain text begin with %%{.';
const ENTRY =
  'Write an entry as <key> = <value>; put a key with characters other than letters, digits and _ in quotes.';

interface Explanation {
  /** Replaces HCL's message. */
  message?: string;
  help: string;
}

/**
 * The explanation of each problem that HCL reports, by its summary and, where needed, its detail. The first
 * entry that matches counts.
 */
const EXPLANATIONS: readonly (readonly [summary: RegExp, Explanation, detail?: RegExp])[] = [
  [/^Attribute redefined/, { help: 'Keep one of them.' }],
  [/^Invalid argument name/, { help: 'Write the name without quotes.' }],
  [/^Unclosed configuration/, { help: 'Look below this place for the closing brace } that is missing.' }],
  [/^Argument definition required/, { help: ONE_LINE_BLOCK }],
  [/^Invalid single-argument block definition/, { help: ONE_LINE_BLOCK }],
  [/^Argument or block definition required/, { help: 'Write <name> = <value>, or a block <name> { … }.' }],
  [/^Missing newline after argument/, { help: 'Begin a new line after each attribute.' }],
  [/^Missing newline after block definition/, { help: 'Begin a new line after the closing brace.' }],
  [
    /^Invalid block definition/,
    { help: 'Remove the equals sign: a block is written <name> { … }.' },
    /must not be used/,
  ],
  [
    /^Invalid block definition/,
    { help: 'Write <name> = <value>; the { … } of a block begins on its line, after its labels.' },
    /delimited/,
  ],
  [
    /^Invalid block definition/,
    {
      help: 'Put each label in double quotes and write { after the last. An attribute needs an equals sign.',
    },
  ],
  [
    /^Invalid string literal/,
    {
      message: 'labels are fixed text: ${…} works only in attributes',
      help: 'In get and put write resource = "<type>.${…}" instead of the labels; give other blocks a fixed label.',
    },
    /^Template sequences/,
  ],
  [
    /^(?:Invalid|Unterminated) string literal/,
    { help: 'Write a text in double quotes, closed on its line.' },
  ],
  [
    /^Invalid escape sequence/,
    { help: String.raw`Write \\ for a backslash; \n, \t, \", \r and \uNNNN are known.` },
  ],
  [
    /^Unterminated template string/,
    { help: 'Close a text with a double quote on its line, a heredoc with its marker alone on a line.' },
  ],
  [
    /^Invalid multi-line string/,
    {
      message: 'this text has no closing quote on its line',
      help: 'Close it with a double quote, or write several lines as a heredoc: <<-EOT, the lines, and EOT alone on a line.',
    },
  ],
  [
    /^Extra characters after interpolation expression/,
    { help: 'If the shell must see ${…}, write $${…}. $NAME needs no change.' },
  ],
  [/^Unclosed template interpolation/, { help: 'Close ${ with a brace; for the shell write $${…}.' }],
  [/^Invalid 'for' directive/, { help: 'Write %{ for <name> in <list> }…%{ endfor }.' }],
  [
    /^(?:Invalid template (?:control|directive)|Unexpected (?:end of template|\w+ directive))/,
    { help: IF_AND_FOR },
  ],
  [/^Extra characters in \w+ marker/, { help: 'Close the directive with }.' }],
  [/^Missing false expression/, { help: 'Write <condition> ? <value> : <other value>.' }],
  [/^Invalid legacy index/, { help: 'Write an index in brackets: list[0].' }],
  [
    /^(?:Invalid attribute name|Attribute name required)/,
    { help: 'Write a name after the dot, and any other key in brackets: value["<key>"].' },
  ],
  [/^(?:Missing close bracket|Unclosed index)/, { help: 'Close the index with ].' }],
  [/^Unbalanced parentheses/, { help: 'Close what is open with ).' }],
  [
    /^Invalid number literal/,
    { help: 'Write only digits. Put a text with other characters in double quotes.' },
  ],
  [
    /^(?:Missing open parenthesis|Missing function name|Unterminated function call|Missing closing parenthesis)/,
    { help: 'Write a call as <function>(<argument>, <argument>).' },
  ],
  [/^Missing argument separator/, { help: 'Put a comma between two arguments.' }],
  [/^Unterminated tuple/, { help: 'Close the list with ].' }],
  [/^Missing item separator/, { help: 'Put a comma between two elements, and ] after the last.' }],
  [/^Unterminated object/, { help: 'Close the map with }.' }],
  [/^Missing (?:attribute value|key\/value separator)/, { help: ENTRY }],
  [/^Missing attribute separator/, { help: 'Put each entry on a line of its own, or a comma between two.' }],
  [/^Invalid 'for' expression/, { help: FOR_EXPRESSION }],
  [
    /^(?:Missing|Invalid) expression/,
    {
      help: 'Write a value: a text in double quotes, a number, true, false, a list […] or a name such as var.region.',
    },
  ],
  [/^Unsupported operator/, { help: 'Write pow(a, b).' }, /"\*\*"/],
  [/^Unsupported operator/, { help: 'Write && for "and", || for "or". Put text for the shell in quotes.' }],
  [/^Invalid character encoding/, { help: 'Save the file as UTF-8.' }],
  [/^Invalid character/, { help: 'Write texts in double quotes.' }, /quotes/],
  [/^Invalid character/, { help: 'Begin a new line instead, or write a comma between elements.' }, /";"/],
  [
    /^Invalid character/,
    { help: 'Write a text of several lines as <<-EOT, the lines, and EOT alone on a line.' },
    /"`"/,
  ],
];

/**
 * The help for a problem that HCL reports and, if there is one, a message that replaces HCL's. Empty: there
 * is no help for this problem.
 */
export function explainProblem(problem: HclProblem): Partial<Explanation> {
  const { summary, detail, text = '', help } = problem;
  if (help !== undefined) return { help };
  if (text.startsWith('/*'))
    return {
      message: 'this comment is not closed',
      help: 'Write */ where it ends, or begin each line with #.',
    };
  const character = detail.startsWith('This character is not used') && explainCharacter(text);
  if (character) return character;
  if (summary.startsWith('Missing newline after argument') && /^[^\n"=]*"/.test(text))
    return { help: String.raw`Inside a text write \" for a double quote.` };
  const [, explanation] =
    EXPLANATIONS.find(([pattern, , words]) => pattern.test(summary) && (words?.test(detail) ?? true)) ?? [];
  return explanation ?? {};
}

/**
 * Whether the tree may lack parts of the text because of this problem. A problem with `help` was not found by
 * HCL, so the tree is complete. A duplicate attribute removes only itself.
 */
export function losesContent({ severity, summary, help }: HclProblem): boolean {
  return severity === 'error' && help === undefined && !summary.startsWith('Attribute redefined');
}

/** The summaries of HCL's problems about a character that it does not accept. */
const CHARACTER_REFUSED = ['Invalid character', 'Unsupported operator'];

/**
 * Removes all other problems at a character that HCL does not accept, such as errors about a missing value or
 * newline there.
 */
export function withoutFollowUpErrors(problems: readonly HclProblem[]): HclProblem[] {
  const refused = new Set(
    problems
      .filter(({ summary }) => CHARACTER_REFUSED.includes(summary))
      .map(({ subject }) => subject?.start.byte),
  );
  return problems.filter(
    ({ summary, subject }) =>
      CHARACTER_REFUSED.includes(summary) || !subject || !refused.has(subject.start.byte),
  );
}
