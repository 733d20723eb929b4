import stringWidth from 'string-width';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import type { Finding, Place } from './finding.ts';
import type { Paint } from './terminal.ts';

/** How many graphemes of a long line are shown on each side of the place. */
const CONTEXT_GRAPHEMES = 60;
/** A beginning of up to this length is never cut off, because that would save too little. */
const MAX_UNCUT_GRAPHEMES = 20;

const segmenter = new Intl.Segmenter();

/** Findings of a server may have neither code nor help. */
type AnyFinding = Omit<Finding, 'code' | 'help'> & Partial<Pick<Finding, 'code' | 'help'>>;

/** Renders a finding as compilers do: file, place, code, message, the line with a caret below it, help. */
export function renderFinding(finding: AnyFinding, source: string | undefined, paint: Paint): string {
  const { severity, code, message, help, file, place } = finding;
  const style = severity === 'error' ? 'red' : 'yellow';
  const location = place ? `${file}:${place.start.line}:${place.start.column}` : file;
  const snippet = place && snippetOf(source, place);
  const number = String(place?.start.line ?? '');
  const margin = ' '.repeat(Math.max(1, number.length));
  const gutter = (label: string): string => paint('blue', `${label} |`);
  return [
    `${paint('bold', `${replaceInvisible(location)}:`)} ` +
      `${paint([style, 'bold'], kindOf(severity, code))}${paint('bold', `: ${replaceInvisible(message)}`)}`,
    ...(snippet
      ? [
          gutter(margin),
          `${gutter(number)} ${snippet.text}`,
          `${gutter(margin)} ${snippet.indent}${paint([style, 'bold'], snippet.caret)}`,
        ]
      : []),
    ...blocksLine(
      finding.blocks,
      `${replaceInvisible(message)}\n${snippet?.text ?? ''}`,
      paint('blue', `${margin} =`),
    ),
    ...helpLine(help, `${margin} =`, paint),
    '',
  ].join('\n');
}

function snippetOf(source: string | undefined, place: Place): Snippet | undefined {
  const line = source?.split('\n')[place.start.line - 1];
  return line === undefined ? undefined : cutLine(line.replace(/\r$/, ''), place);
}

/** `in job "deploy", put "git" "app"`, without the blocks that the message or the quoted line names. */
function blocksLine(blocks: readonly string[] = [], namedAlready: string, margin: string): string[] {
  const others = blocks.map(replaceInvisible).filter((block) => !namedAlready.includes(block));
  return others.length === 0 ? [] : [`${margin} in ${others.join(', ')}`];
}

const kindOf = (severity: string, code: string | undefined): string =>
  code === undefined ? severity : `${severity}[${code}]`;

const helpLine = (help: string | undefined, margin: string, paint: Paint): string[] =>
  help === undefined ? [] : [`${paint('blue', margin)} ${paint('bold', 'help')}: ${replaceInvisible(help)}`];

interface Snippet {
  text: string;
  /** The spaces before the caret. */
  indent: string;
  caret: string;
}

/** The part of a line around the place. Tabs stay tabs, so that the caret lines up at any tab width. */
function cutLine(line: string, { start, end }: Place): Snippet {
  const graphemes = Array.from(segmenter.segment(line), ({ segment }) =>
    segment === '\t' ? segment : replaceInvisible(segment),
  );
  const first = Math.min(start.column - 1, graphemes.length);
  const last = end.line > start.line ? graphemes.length : Math.min(end.column - 1, graphemes.length);
  const cutStart = first > CONTEXT_GRAPHEMES + MAX_UNCUT_GRAPHEMES ? first - CONTEXT_GRAPHEMES : 0;
  const contextEnd = Math.min(
    graphemes.length,
    Math.max(last, first + 1, cutStart === 0 ? 2 * CONTEXT_GRAPHEMES : first + CONTEXT_GRAPHEMES),
  );
  const cutEnd = Math.min(contextEnd, first + 2 * CONTEXT_GRAPHEMES);
  const before = graphemes.slice(cutStart, first);
  const marked = graphemes.slice(first, Math.min(last, cutEnd));
  const cut = { before: cutStart > 0 ? '…' : '', after: cutEnd < graphemes.length ? '…' : '' };
  return {
    text: `${cut.before}${graphemes.slice(cutStart, cutEnd).join('')}${cut.after}`,
    indent: `${cut.before === '' ? '' : ' '}${before.map(blank).join('')}`,
    caret: `^${'~'.repeat(Math.max(0, marked.reduce((sum, letter) => sum + stringWidth(letter), 0) - 1))}`,
  };
}

/** Spaces as wide as the character. A tab stays a tab, so that the caret is below its character. */
function blank(letter: string): string {
  return letter === '\t' ? letter : ' '.repeat(stringWidth(letter));
}
