import type { Range } from '#domain/language/syntax.ts';

/**
 * Range of the expression that a thread evaluates; undefined between evaluations. It is in shared memory, so
 * that it can be read after the thread was terminated.
 */
export interface EvaluatedRange {
  note: (range: Range | undefined) => void;
  read: () => Range | undefined;
}

const RANGE_NUMBERS = 6;

export const allocateEvaluatedRange = (): SharedArrayBuffer =>
  new SharedArrayBuffer(RANGE_NUMBERS * Int32Array.BYTES_PER_ELEMENT);

const NO_POSITION = { line: 0, column: 0, byte: 0 };
const NO_RANGE: Range = { start: NO_POSITION, end: NO_POSITION };

export function openEvaluatedRange(shared: SharedArrayBuffer): EvaluatedRange {
  const numbers = new Int32Array(shared);
  return {
    note: (range) => {
      const { start, end } = range ?? NO_RANGE;
      numbers.set([start.line, start.column, start.byte, end.line, end.column, end.byte]);
    },
    read: () => {
      const [line = 0, column = 0, byte = 0, endLine = 0, endColumn = 0, endByte = 0] = numbers;
      if (line === 0) return undefined;
      return { start: { line, column, byte }, end: { line: endLine, column: endColumn, byte: endByte } };
    },
  };
}
