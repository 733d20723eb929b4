import type { Range } from '#domain/language/syntax.ts';
import type { Place, Spot } from './finding.ts';

/** An HCL text and where it is in a file. */
export interface EmbeddedText {
  hcl: string | Uint8Array;
  placeOf: (range: Range) => Place;
  /** The line in the file; absent if the lines of the text are not lines of the file. */
  lineOf?: (line: number) => number;
  /** Returns the whole file with another text in place of this one. Absent for quoted and folded texts. */
  replace?: (hcl: string) => string;
}

const toSpot = ({ line, column }: Spot): Spot => ({ line, column });

/** A file of HCL. */
export function wholeFile(hcl: string | Uint8Array): EmbeddedText {
  return {
    hcl,
    placeOf: ({ start, end }) => ({ start: toSpot(start), end: toSpot(end) }),
    lineOf: (line) => line,
    replace: (newText) => newText,
  };
}

export interface EmbeddedBlock {
  /** The whole file. */
  source: string;
  /** Index, from 0, of the line after the header `|`. */
  start: number;
  /** The content of the block. */
  text: string;
}

/** A literal block of YAML (`config: |`): its lines are lines of the file, indented. */
export function literalBlock({ source, start, text }: EmbeddedBlock): EmbeddedText {
  const lines = source.split('\n');
  const lineCount = text.replace(/(?<!\n)\n+$/, '').split('\n').length;
  const firstFileLine = lines.slice(start, start + lineCount).find((line) => line.trim() !== '') ?? '';
  const firstTextLine = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const indent = indentOf(firstFileLine) - indentOf(firstTextLine);
  // Places after the last line are shown at the end of the block, because what follows belongs to YAML.
  const blockEnd = {
    line: start + lineCount,
    column: countGraphemes(lines[start + lineCount - 1] ?? '') + 1,
  };
  const move = ({ line, column }: Spot): Spot =>
    line > lineCount ? blockEnd : { line: line + start, column: column + indent };
  return {
    hcl: text,
    placeOf: (range) => ({ start: move(range.start), end: move(range.end) }),
    lineOf: (line) => line + start,
    replace(newText) {
      const lineEnd = source.includes('\r\n') ? '\r' : '';
      const indented = newText
        .replace(/(?<!\n)\n+$/, '')
        .split('\n')
        .map((line) => (line === '' ? lineEnd : `${' '.repeat(indent)}${line}${lineEnd}`));
      return [...lines.slice(0, start), ...indented, ...lines.slice(start + lineCount)].join('\n');
    },
  };
}

const segmenter = new Intl.Segmenter();

const countGraphemes = (line: string): number =>
  Array.from(segmenter.segment(line.replace(/\r$/, ''))).length;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * A quoted or folded text of YAML or JSON. Its lines are not lines of the file, so every place in it is shown
 * where the text begins.
 */
export function inlineText(hcl: string, at: Spot): EmbeddedText {
  return { hcl, placeOf: () => ({ start: at, end: { line: at.line, column: at.column + 1 } }) };
}
