import type { Range } from '#domain/language/syntax.ts';

/**
 * The place of the expression that a thread evaluates, in memory that both sides see: a thread that is ended
 * cannot say it any more.
 */
export interface WorkPlace {
  note: (range: Range | undefined) => void;
  read: () => Range | undefined;
}

const NUMBERS = 6;

export const shareWorkPlace = (): SharedArrayBuffer =>
  new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT);

const NOTHING = { line: 0, column: 0, byte: 0 };
const NOWHERE: Range = { start: NOTHING, end: NOTHING };

export function openWorkPlace(shared: SharedArrayBuffer): WorkPlace {
  const numbers = new Int32Array(shared);
  return {
    note: (range) => {
      const { start, end } = range ?? NOWHERE;
      numbers.set([start.line, start.column, start.byte, end.line, end.column, end.byte]);
    },
    read: () => {
      const [line = 0, column = 0, byte = 0, endLine = 0, endColumn = 0, endByte = 0] = numbers;
      if (line === 0) return undefined;
      return { start: { line, column, byte }, end: { line: endLine, column: endColumn, byte: endByte } };
    },
  };
}
