import { diffArrays } from 'diff';

/** Unchanged lines that are shown around each change. */
const AROUND = 3;
/** Texts with more changed lines are shown as replaced: comparing them would take too long. */
const MAX_CHANGES = 4000;

export interface ComparedLine {
  /** `…`: lines that are left out. */
  mark: ' ' | '+' | '-' | '…';
  text: string;
}

/** The lines that differ between two texts, with their neighbours. Empty if the texts are equal. */
export function changedLines(before: string, after: string): ComparedLine[] {
  if (before === after) return [];
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, fresh, { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return [...marked('-', old), ...marked('+', fresh)];
  return shorten(
    parts.flatMap(({ added, removed, value }) => marked(added ? '+' : removed ? '-' : ' ', value)),
  );
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

const marked = (mark: ComparedLine['mark'], lines: readonly string[]): ComparedLine[] =>
  lines.map((text) => ({ mark, text }));

/** Leaves out lines far from any change. */
function shorten(lines: readonly ComparedLine[]): ComparedLine[] {
  const near = new Set(
    lines.flatMap(({ mark }, at) =>
      mark === ' ' ? [] : Array.from({ length: 2 * AROUND + 1 }, (_, step) => at - AROUND + step),
    ),
  );
  return lines.flatMap((line, at): ComparedLine[] => {
    if (near.has(at)) return [line];
    return near.has(at - 1) || at === 0 ? [{ mark: '…', text: '' }] : [];
  });
}
