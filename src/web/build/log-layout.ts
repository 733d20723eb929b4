import type { LogSection } from './log-sections.ts';

/** The rows of a section's header, and of the note that replaces lines that are no longer stored. */
export const HEADER_ROWS = 2;
const NOTE_ROWS = 1;

/** A section and the rows that it takes, counted from the top of the log. */
export interface PlacedSection {
  section: LogSection;
  open: boolean;
  top: number;
  rows: number;
  /** How many rows of the section are above its first line. */
  before: number;
}

export interface LogLayout {
  columns: number;
  sections: readonly PlacedSection[];
  rows: number;
}

/** A position in the log that stays the same when rows above it come or go. */
export interface Anchor {
  key: string;
  /** Absent: the anchor is above the lines of the section. */
  line?: number;
  /** How many rows the anchor is below the top of the line, or of the section. */
  offset: number;
}

/** A line that is shown. */
export interface PlacedLine {
  line: number;
  top: number;
  rows: number;
}

/** Places sections one below the other. Lines wrap at `columns`; with infinite columns, they do not wrap. */
export function placeSections(
  sections: readonly LogSection[],
  isOpen: (section: LogSection) => boolean,
  columns: number,
): LogLayout {
  let top = 0;
  const placed = sections.map((section) => {
    const open = isOpen(section);
    const before = HEADER_ROWS + (open && section.lines.first > 0 ? NOTE_ROWS : 0);
    const rows = before + (open ? section.lines.rows(columns) : 0);
    const placedSection = { section, open, top, rows, before };
    top += rows;
    return placedSection;
  });
  return { columns, sections: placed, rows: top };
}

/** The sections that have rows between `from` and `to`. */
export function sectionsBetween({ sections }: LogLayout, from: number, to: number): PlacedSection[] {
  return sections.filter(({ top, rows }) => top < to && top + rows > from);
}

/** The lines of a section between two rows of the log. `top` of a line counts from the top of the section. */
export function linesBetween(
  { section, open, top, before, rows }: PlacedSection,
  { from, to, columns }: { from: number; to: number; columns: number },
): PlacedLine[] {
  const { lines } = section;
  const [first, last] = [Math.max(0, from - top - before), Math.min(to - top, rows) - before];
  if (!open || first >= last || lines.end === lines.first) return [];
  const placedLines: PlacedLine[] = [];
  let { line, row } = lines.lineAt(first, columns);
  while (row < last && line < lines.end) {
    const height = lines.rowsOf(line, columns);
    placedLines.push({ line, top: before + row, rows: height });
    row += height;
    line += 1;
  }
  return placedLines;
}

/** The anchor for a row of the log. */
export function anchorAt(layout: LogLayout, row: number): Anchor | undefined {
  const placed = layout.sections.findLast(({ top }) => top <= row);
  if (placed === undefined) return undefined;
  const { section, open, top, before } = placed;
  const inside = row - top - before;
  if (!open || inside < 0 || section.lines.end === section.lines.first)
    return { key: section.key, offset: row - top };
  const { line, row: start } = section.lines.lineAt(Math.floor(inside), layout.columns);
  return { key: section.key, line, offset: inside - start };
}

/** The row at which an anchor is now. Undefined: the section of the anchor no longer exists. */
export function rowOfAnchor(layout: LogLayout, { key, line, offset }: Anchor): number | undefined {
  const placed = layout.sections.find(({ section }) => section.key === key);
  if (placed === undefined) return undefined;
  const { section, open, top, before } = placed;
  if (line === undefined) return top + offset;
  if (!open) return top;
  const stored = Math.max(line, section.lines.first);
  return top + before + section.lines.rowOf(stored, layout.columns) + (stored === line ? offset : 0);
}
