import { advance } from './positions.ts';
import { closestName } from './suggest.ts';
import type { HclProblem, Range } from './syntax.ts';
import { readTemplateMarks, type TemplateMark } from './template-marks.ts';

/*
 * `${…}` of the shell and of other CI systems, and `%{…}` of curl, where HCL reads a template. HCL's own
 * messages point at later lines or speak of operators. Here each gets one message at its place; then the text
 * is read again with these as plain text, so that everything else is still checked.
 */

/**
 * A mark that another language means. `doubtful`: it may be HCL, so it is an error only if HCL reports one
 * there.
 */
export interface ForeignTemplate extends TemplateMark {
  kind: 'shell' | 'actions' | 'directive' | 'number';
  doubtful: boolean;
  /** The text of the mark, shortened if it is long. */
  written: string;
  range: Range;
}

/** No HCL expression begins like this: before a dot or bracket, HCL has only a name. */
const SHELL =
  /\$\{(?:[#@*?$]|-\}|!\}|!\w{1,100}(?:[*@]\}|\[@\])|\w{1,100}(?:[#^,@:]|%[%.*/:?]|\/[^\s/}]{0,100}\/|=(?!=)|\[@\]))/y;
/** The beginning of an HCL comment, which would hide the closing brace. */
const HIDES_BRACE = /\$\{\w(?:[^\s}"{#]{0,100}#|(?:[^\s}"{/]|\/(?!\/)){0,100}\/\/)/y;
/** An HCL operator directly after a bare name. */
const PERHAPS_SHELL = /\$\{\w{1,100}[%/?+\-[]/y;
const ACTIONS = /\$\{\{/y;
const SURELY_ACTIONS = /\$\{\{[^}=\n]{0,200}\}\}/y;
const NUMBER = /\$\{~?[ \t]*\d{1,100}[ \t]*~?\}/y;
const DIRECTIVE = /%\{~?[ \t\n]*(\w{1,100}|[+}])/y;
const DIRECTIVES = ['if', 'else', 'endif', 'for', 'endfor'];

/** Whether a text without errors has anything to find. */
export const mayHoldNumbers = (text: string): boolean => /\$\{~?[ \t]*\d/.test(text);

/** The search ends here: people fix fewer before they validate again. */
export const MAX_FOREIGN_TEMPLATES = 1000;

export function findForeignTemplates(text: string): ForeignTemplate[] {
  const found: ForeignTemplate[] = [];
  const place = places(text);
  readTemplateMarks(text, (mark) => {
    const kind = found.length < MAX_FOREIGN_TEMPLATES ? kindOf(text, mark) : undefined;
    if (!kind) return false;
    const written = spelling(text, mark.at);
    found.push({ ...mark, ...kind, written, range: place(mark.at, written.length) });
    return kind.kind !== 'number' && !kind.doubtful;
  });
  return found;
}

type Kind = Pick<ForeignTemplate, 'kind' | 'doubtful'>;

function kindOf(text: string, { sign, at }: TemplateMark): Kind | undefined {
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

/** Whether it is a template of HCL, or a mistake for which HCL itself has a suggestion. */
function isDirective(text: string, at: number): boolean {
  DIRECTIVE.lastIndex = at;
  const word = DIRECTIVE.exec(text)?.[1];
  if (word === undefined || DIRECTIVES.includes(word)) return true;
  return word.length > 1 && closestName(word, DIRECTIVES) !== undefined;
}

const MAX_SPELLING = 60;

/** The text from the mark to its closing brace on the same line. */
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

/** Converts offsets to places. Ask for them in ascending order. */
function places(text: string): (at: number, length: number) => Range {
  let last = 0;
  let spot = { line: 1, column: 1, byte: 0 };
  return (at, length) => {
    spot = advance(spot, text.slice(last, at));
    last = at;
    return { start: spot, end: advance(spot, text.slice(at, at + length)) };
  };
}

/**
 * Returns the templates that are errors: those found earlier, all that are certainly not HCL, and doubtful
 * ones in which HCL found an error.
 */
export function judgeForeignTemplates(
  found: readonly ForeignTemplate[],
  problems: readonly HclProblem[],
  known: readonly ForeignTemplate[],
): ForeignTemplate[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return [...known];
  const starts = errors.flatMap(({ subject }) => subject?.start.byte ?? []).toSorted((a, b) => a - b);
  const already = new Set(known);
  let next = 0;
  return found.filter((one) => {
    if (one.kind === 'number') return false;
    while ((starts[next] ?? Infinity) < one.range.start.byte) next += 1;
    return already.has(one) || !one.doubtful || (starts[next] ?? Infinity) <= one.range.end.byte;
  });
}

/** Replaces these templates by plain text of the same length. */
export function withoutTemplates(text: string, foreign: readonly ForeignTemplate[]): string {
  let rest = 0;
  const parts = foreign.map(({ at }) => {
    const part = `${text.slice(rest, at)}__`;
    rest = at + 2;
    return part;
  });
  return parts.join('') + text.slice(rest);
}

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
