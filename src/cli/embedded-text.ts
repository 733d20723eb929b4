import type { Range } from '#domain/language/syntax.ts';
import type { Place, Spot } from './finding.ts';

/** A text of HCL and its place in a file. */
export interface EmbeddedText {
  hcl: string | Uint8Array;
  placeOf: (range: Range) => Place;
  /** The line in the file; absent if the lines of the text are not lines of the file. */
  lineOf?: (line: number) => number;
  /** The whole file with another text in this one's place; absent for quoted and folded texts. */
  replace?: (hcl: string) => string;
}

const spot = ({ line, column }: Spot): Spot => ({ line, column });

/** A file of HCL. */
export function wholeFile(hcl: string | Uint8Array): EmbeddedText {
  return {
    hcl,
    placeOf: ({ start, end }) => ({ start: spot(start), end: spot(end) }),
    lineOf: (line) => line,
    replace: (other) => other,
  };
}

export interface EmbeddedBlock {
  /** The whole file. */
  source: string;
  /** Index of the block's first line, from 0, after the header `|`. */
  start: number;
  /** The content of the block. */
  text: string;
}

/** A literal block of YAML (`config: |`): its lines are lines of the file, indented. */
export function literalBlock({ source, start, text }: EmbeddedBlock): EmbeddedText {
  const lines = source.split('\n');
  const size = text.replace(/(?<!\n)\n+$/, '').split('\n').length;
  const first = lines.slice(start, start + size).find((line) => line.trim() !== '') ?? '';
  const inText = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const indent = indentOf(first) - indentOf(inText);
  // The end of the block: what follows belongs to YAML.
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
 * A quoted or folded text of YAML or JSON, whose lines are not lines of the file: every place in it is where
 * the text begins.
 */
export function elsewhere(hcl: string, at: Spot): EmbeddedText {
  return { hcl, placeOf: () => ({ start: at, end: { line: at.line, column: at.column + 1 } }) };
}
