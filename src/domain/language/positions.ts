import type { Range } from './syntax.ts';

type Position = Range['start'];

const segmenter = new Intl.Segmenter();

/**
 * The position after the text `passed`, which begins at `from`. A byte order mark counts in bytes, but not as
 * a column.
 */
export function advance(from: Position, passed: string): Position {
  const lines = passed.split('\n');
  const lastLine = (lines.at(-1) ?? '').replace(/^\uFEFF/, '');
  const letters = Array.from(segmenter.segment(lastLine)).length;
  return {
    line: from.line + lines.length - 1,
    column: lines.length === 1 ? from.column + letters : 1 + letters,
    byte: from.byte + bytesOf(passed),
  };
}

/** The length of the text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else bytes += code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
