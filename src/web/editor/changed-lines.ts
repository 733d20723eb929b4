import { diffArrays } from 'diff';

/** How many unchanged lines are shown before and after each change. */
const CONTEXT_LINES = 3;
/**
 * If two texts differ by more changes than this, comparing them would take too long: all lines of the first
 * then count as removed, and all lines of the second as added.
 */
const MAX_CHANGES = 4000;

export interface ComparedLine {
  /** `…` stands for lines that are left out. */
  mark: ' ' | '+' | '-' | '…';
  text: string;
}

/** The lines that differ between two texts, with their neighbours. Empty if the texts are equal. */
export function changedLines(before: string, after: string): ComparedLine[] {
  if (before === after) return [];
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(oldLines, newLines, { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return [...marked('-', oldLines), ...marked('+', newLines)];
  return shorten(parts.flatMap((part) => marked(markOf(part), part.value)));
}

function markOf({ added, removed }: { added: boolean; removed: boolean }): ComparedLine['mark'] {
  if (added) return '+';
  return removed ? '-' : ' ';
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

const marked = (mark: ComparedLine['mark'], lines: readonly string[]): ComparedLine[] =>
  lines.map((text) => ({ mark, text }));

/** Puts one `…` in the place of lines far from any change. */
function shorten(lines: readonly ComparedLine[]): ComparedLine[] {
  const near = new Set<number>();
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let index = at - CONTEXT_LINES; index <= at + CONTEXT_LINES; index += 1) near.add(index);
  }
  return lines.flatMap((line, at): ComparedLine[] => {
    if (near.has(at)) return [line];
    return near.has(at - 1) || at === 0 ? [{ mark: '…', text: '' }] : [];
  });
}
