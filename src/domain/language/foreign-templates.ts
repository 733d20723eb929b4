import { advance } from './positions.ts';
import { closestName } from './suggest.ts';
import type { HclProblem, Range } from './syntax.ts';
import { readTemplateMarks, type TemplateMark } from './template-marks.ts';

/*
 * People write `${…}` as in a shell or in another CI system, or `%{…}` as in curl, but HCL reads these as
 * templates. The messages of HCL about them point at later lines or speak of operators. The functions here
 * report each such mark once, at its place. The text is then parsed again with these marks as plain text, so
 * that all other errors are found too.
 */

/**
 * A template mark in a language other than HCL. `shell`: an expansion of a shell. `actions`: an expression of
 * another CI system. `directive`: a format of curl. `number`: an argument of a script, such as `${1}`.
 * `doubtful`: the mark may also be HCL, so it counts as an error only if HCL reports an error in it.
 */
export interface ForeignTemplate extends TemplateMark {
  kind: 'shell' | 'actions' | 'directive' | 'number';
  doubtful: boolean;
  /** The text of the mark, shortened if it is long. */
  written: string;
  range: Range;
}

/**
 * Matches beginnings that have a meaning in a shell, such as `${#` or `${name:`. Hardly any HCL expression
 * begins like this.
 */
const SHELL =
  /\$\{(?:[#@*?$]|-\}|!\}|!\w{1,100}(?:[*@]\}|\[@\])|\w{1,100}(?:[#^,@:]|%[%.*/:?]|\/[^\s/}]{0,100}\/|=(?!=)|\[@\]))/y;
/** Matches a mark in which HCL would read a comment (`#` or `//`) that hides the closing brace. */
const HIDES_BRACE = /\$\{\w(?:[^\s}"{#]{0,100}#|(?:[^\s}"{/]|\/(?!\/)){0,100}\/\/)/y;
/** Matches an operator directly after a name, such as `${name%`. This can be shell or HCL. */
const PERHAPS_SHELL = /\$\{\w{1,100}[%/?+\-[]/y;
/** Matches the beginning of an expression of another CI system, such as `${{ github.ref }}`. */
const ACTIONS = /\$\{\{/y;
const SURELY_ACTIONS = /\$\{\{[^}=\n]{0,200}\}\}/y;
const NUMBER = /\$\{~?[ \t]*\d{1,100}[ \t]*~?\}/y;
const DIRECTIVE = /%\{~?[ \t\n]*(\w{1,100}|[+}])/y;
const DIRECTIVES = ['if', 'else', 'endif', 'for', 'endfor'];

/**
 * Whether the text may have a number alone in `${…}`. Such a number is reported even if HCL finds no error.
 */
export const mayHoldNumbers = (text: string): boolean => /\$\{~?[ \t]*\d/.test(text);

/**
 * Maximum number of foreign templates that are found in a text. People never correct so many before they
 * validate again.
 */
export const MAX_FOREIGN_TEMPLATES = 1000;

/** The foreign templates in the text, in order. */
export function findForeignTemplates(text: string): ForeignTemplate[] {
  const templates: ForeignTemplate[] = [];
  const rangeAt = rangesIn(text);
  readTemplateMarks(text, (mark) => {
    const meaning = templates.length < MAX_FOREIGN_TEMPLATES ? meaningOf(text, mark) : undefined;
    if (!meaning) return false;
    const written = spelling(text, mark.at);
    templates.push({ ...mark, ...meaning, written, range: rangeAt(mark.at, written.length) });
    return meaning.kind !== 'number' && !meaning.doubtful;
  });
  return templates;
}

type Meaning = Pick<ForeignTemplate, 'kind' | 'doubtful'>;

/** What the mark means in another language. Undefined: it is HCL. */
function meaningOf(text: string, { sign, at }: TemplateMark): Meaning | undefined {
  const fits = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
  if (sign === '%') return isDirective(text, at) ? undefined : { kind: 'directive', doubtful: false };
  if (fits(ACTIONS)) return { kind: 'actions', doubtful: !fits(SURELY_ACTIONS) };
  if (fits(SHELL) || fits(HIDES_BRACE)) return { kind: 'shell', doubtful: false };
  if (fits(PERHAPS_SHELL)) return { kind: 'shell', doubtful: true };
  return fits(NUMBER) ? { kind: 'number', doubtful: false } : undefined;
}

/** Whether `%{` begins a directive of HCL, or a misspelt one for which HCL itself has a suggestion. */
function isDirective(text: string, at: number): boolean {
  DIRECTIVE.lastIndex = at;
  const word = DIRECTIVE.exec(text)?.[1];
  if (word === undefined || DIRECTIVES.includes(word)) return true;
  return word.length > 1 && closestName(word, DIRECTIVES) !== undefined;
}

const MAX_SPELLING = 60;

/**
 * The text from the mark to its closing brace. It ends earlier at the end of the line, or after
 * `MAX_SPELLING` characters.
 */
function spelling(text: string, from: number): string {
  let open = 0;
  for (let at = from; at < Math.min(text.length, from + MAX_SPELLING); at += 1) {
    const sign = text[at];
    if (sign === '\n') return text.slice(from, at);
    if (sign === '{') open += 1;
    if (sign === '}') open -= 1;
    if (sign === '}' && open === 0) return text.slice(from, at + 1);
  }
  return text.slice(from, from + MAX_SPELLING);
}

/**
 * Returns a function that converts an offset and a length to a range. Call that function with ascending
 * offsets.
 */
function rangesIn(text: string): (at: number, length: number) => Range {
  let lastOffset = 0;
  let position = { line: 1, column: 1, byte: 0 };
  return (at, length) => {
    position = advance(position, text.slice(lastOffset, at));
    lastOffset = at;
    return { start: position, end: advance(position, text.slice(at, at + length)) };
  };
}

/**
 * The templates that are errors. If HCL found no error, these are only the ones `known` from an earlier
 * parse. Otherwise they are the known ones, all that are certainly not HCL, and the doubtful ones in which
 * HCL found an error. Templates of the kind `number` never are. `found` must have the order of the text.
 */
export function judgeForeignTemplates(
  found: readonly ForeignTemplate[],
  problems: readonly HclProblem[],
  known: readonly ForeignTemplate[],
): ForeignTemplate[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return [...known];
  const errorStarts = errors.flatMap(({ subject }) => subject?.start.byte ?? []).toSorted((a, b) => a - b);
  const knownTemplates = new Set(known);
  let nextError = 0;
  return found.filter((template) => {
    const { kind, doubtful, range } = template;
    if (kind === 'number') return false;
    while ((errorStarts[nextError] ?? Infinity) < range.start.byte) nextError += 1;
    const hasError = (errorStarts[nextError] ?? Infinity) <= range.end.byte;
    return knownTemplates.has(template) || !doubtful || hasError;
  });
}

/**
 * The text in which the two characters that begin each template, such as `${`, are replaced by plain text of
 * the same length.
 */
export function withoutTemplates(text: string, foreign: readonly ForeignTemplate[]): string {
  let copied = 0;
  const parts = foreign.map(({ at }) => {
    const part = `${text.slice(copied, at)}__`;
    copied = at + 2;
    return part;
  });
  return parts.join('') + text.slice(copied);
}

/** The problem to report about a foreign template: a warning for a number, otherwise an error. */
export function explainForeignTemplate(template: ForeignTemplate): HclProblem {
  const { kind, range } = template;
  const [summary, help] = WORDS[kind](template.written, `${template.sign}${template.written}`);
  const problem: HclProblem = { severity: 'error', summary, detail: '', subject: range, help };
  return kind === 'number' ? { ...problem, severity: 'warning', code: 'number-in-template' } : problem;
}

/**
 * Summary and help for each kind. `doubled`: the mark with its sign doubled, which HCL reads as plain text.
 */
const WORDS: Readonly<
  Record<ForeignTemplate['kind'], (written: string, doubled: string) => [summary: string, help: string]>
> = {
  number: (written, doubled) => [
    `${written} is filled in while the pipeline is read: the text gets the number itself`,
    `For an argument of a script or function write $${digitsOf(written)} or ${doubled}. ` +
      `For the number write it without \${}.`,
  ],
  directive: (written, doubled) => [
    `${written} is read as a directive of HCL, which knows if, else, endif, for and endfor`,
    `Write ${doubled}: the command gets ${written}.`,
  ],
  actions: (written, doubled) => [
    `${written} looks like an expression of another CI system; it means nothing here`,
    'Use variables of the build, such as $BUILD_NUMBER or $GET_<NAME>_<KEY>. ' +
      `To keep the text as it is, write ${doubled}.`,
  ],
  shell: (written, doubled) => [
    `${written} looks like the shell's, but HCL fills in \${…} while the pipeline is read`,
    `Write ${doubled}: the shell gets ${written}.`,
  ],
};

const digitsOf = (written: string): string => written.replaceAll(/\D/g, '');
