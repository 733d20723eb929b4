import type { Range } from '#domain/language/syntax.ts';
import type { Place, Spot } from './finding.ts';

/** A text of HCL and where it stands in its file. */
export interface EmbeddedText {
  hcl: string | Uint8Array;
  placeOf: (range: Range) => Place;
  /** Of a line of the text; absent where the file's lines are others. */
  lineOf?: (line: number) => number;
  /**
   * The whole file with another text in this one's place; absent where the file's form cannot keep it
   * readable.
   */
  replace?: (hcl: string) => string;
}

const spot = ({ line, column }: Spot): Spot => ({ line, column });

/** A file that is nothing but HCL. */
export function wholeFile(hcl: string | Uint8Array): EmbeddedText {
  return {
    hcl,
    placeOf: ({ start, end }) => ({ start: spot(start), end: spot(end) }),
    lineOf: (line) => line,
    replace: (other) => other,
  };
}

export interface Block {
  /** Of the file. */
  source: string;
  /** Of the block's first line, from 0; the header `|` is before it. */
  start: number;
  /** What stands in the block. */
  text: string;
}

/** A literal block of YAML (`config: |`): line by line what it holds, indented. */
export function literalBlock({ source, start, text }: Block): EmbeddedText {
  const lines = source.split('\n');
  const size = text.replace(/(?<!\n)\n+$/, '').split('\n').length;
  const first = lines.slice(start, start + size).find((line) => line.trim() !== '') ?? '';
  const inText = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const indent = indentOf(first) - indentOf(inText);
  // What is behind the last line is of YAML, or there is nothing.
  const beyond = { line: start + size, column: lettersOf(lines[start + size - 1] ?? '') + 1 };
  const move = ({ line, column }: Spot): Spot =>
    line > size ? beyond : { line: line + start, column: column + indent };
  return {
    hcl: text,
    placeOf: (range) => ({ start: move(range.start), end: move(range.end) }),
    lineOf: (line) => line + start,
    replace(other) {
      const end = source.includes('\r\n') ? '\r' : '';
      const indented = other
        .replace(/(?<!\n)\n+$/, '')
        .split('\n')
        .map((line) => (line === '' ? end : `${' '.repeat(indent)}${line}${end}`));
      return [...lines.slice(0, start), ...indented, ...lines.slice(start + size)].join('\n');
    },
  };
}

const segmenter = new Intl.Segmenter();

const lettersOf = (line: string): number => Array.from(segmenter.segment(line.replace(/\r$/, ''))).length;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * A quoted or folded text of YAML or JSON, whose lines are not those of the file: everything is found where
 * it begins.
 */
export function elsewhere(hcl: string, at: Spot): EmbeddedText {
  return { hcl, placeOf: () => ({ start: at, end: { line: at.line, column: at.column + 1 } }) };
}
