import type { JSX } from 'preact';
import { linesBetween, type PlacedLine, type PlacedSection } from './log-layout.ts';
import { LogLine } from './log-line.tsx';
import type { LogState } from './log-state.ts';
import { SectionHeader } from './section-header.tsx';

interface SectionRowsProps {
  state: LogState;
  placed: PlacedSection;
  /** The rows of the log that are drawn. */
  range: { from: number; to: number };
  columns: number;
  /** The height of a row in pixels. */
  rowHeight: number;
  timestamps: boolean;
}

/** One section of the log: its header, and those of its lines that are in the drawn rows. */
export function SectionRows({
  state,
  placed,
  range,
  columns,
  rowHeight,
  timestamps,
}: SectionRowsProps): JSX.Element {
  const { section, open, top, rows } = placed;
  const { key, lines } = section;
  const drawn = linesBetween(placed, { ...range, columns });
  const copy = (): void => void navigator.clipboard.writeText(textOf(section.lines.texts(lines.first)));
  return (
    <div
      class="build-section"
      data-section={key}
      style={{ top: `${top * rowHeight}px`, height: `${rows * rowHeight}px` }}
    >
      <SectionHeader
        section={section}
        open={open}
        onFold={(unfold) => state.fold(key, unfold)}
        onCopy={canCopy() ? copy : undefined}
      />
      {open && lines.first > 0 && (
        <p class="build-note">
          {lines.first.toLocaleString('en')} earlier lines are in the plain text, not on this page.
        </p>
      )}
      {drawn.map((line) => (
        <DrawnLine key={line.line} {...{ state, placed, line, rowHeight, timestamps }} />
      ))}
    </div>
  );
}

interface DrawnLineProps extends Pick<SectionRowsProps, 'state' | 'placed' | 'rowHeight' | 'timestamps'> {
  line: PlacedLine;
}

function DrawnLine({
  state,
  placed,
  line: { line, top, rows },
  rowHeight,
  timestamps,
}: DrawnLineProps): JSX.Element {
  const { section } = placed;
  const { selected, current, search } = state;
  const number = line + 1;
  const isSelected =
    selected?.key === section.key &&
    number >= (selected.first ?? number + 1) &&
    number <= (selected.last ?? selected.first ?? 0);
  return (
    <LogLine
      line={section.lines.line(line)}
      number={number}
      top={top * rowHeight}
      height={rows * rowHeight}
      timestamps={timestamps}
      query={search.query}
      isSelected={isSelected}
      isCurrent={current?.key === section.key && current.line === line}
    />
  );
}

/** Whether the page can write to the clipboard: browsers allow this only to secure pages. */
export function canCopy(): boolean {
  return window.isSecureContext;
}

function textOf(lines: Iterable<{ text: string }>): string {
  let text = '';
  for (const line of lines) text += `${line.text}\n`;
  return text;
}
