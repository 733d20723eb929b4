import { utf8Length } from '#domain/utf8-length.ts';
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
    byte: from.byte + utf8Length(passed),
  };
}
