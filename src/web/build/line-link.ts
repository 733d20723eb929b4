/** The lines of a step that a link names, counted from 1. Without `first`, the link names the whole step. */
export interface LineLink {
  /** The key of the step's section: `step-1`, or `step-1@2` in the second attempt. */
  key: string;
  first?: number;
  last?: number;
}

const LINK = /^#(step-[\w.:@-]{1,300}?)(?::L(\d{1,9})(?:-L(\d{1,9}))?)?$/;

/** Reads `#step-1:L12` and `#step-1:L12-L20`. */
export function readLineLink(hash: string): LineLink | undefined {
  const [, key, first, last] = LINK.exec(safelyDecoded(hash)) ?? [];
  if (key === undefined) return undefined;
  if (first === undefined) return { key };
  const [start, end] = [Number(first), Number(last ?? first)];
  return { key, first: Math.min(start, end), last: Math.max(start, end) };
}

export function writeLineLink({ key, first, last }: LineLink): string {
  if (first === undefined) return `#${key}`;
  return `#${key}:L${first}${last === undefined || last === first ? '' : `-L${last}`}`;
}

/**
 * A click selects a line. With `extend`, it selects the lines from the first selected line of the same step
 * to the clicked line.
 */
export function selectLine(selected: LineLink | undefined, { key, line, extend }: ClickedLine): LineLink {
  const from = extend && selected?.key === key ? selected.first : undefined;
  return from === undefined
    ? { key, first: line, last: line }
    : { key, first: Math.min(from, line), last: Math.max(from, line) };
}

interface ClickedLine {
  key: string;
  line: number;
  extend: boolean;
}

function safelyDecoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
