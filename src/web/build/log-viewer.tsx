import type { JSX, RefObject, TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { selectLine, writeLineLink, type LineLink } from './line-link.ts';
import { anchorAt, sectionsBetween, type LogLayout } from './log-layout.ts';
import { readPreferences, storePreferences } from './log-preferences.ts';
import { canCopy, SectionRows } from './log-rows.tsx';
import type { LogState } from './log-state.ts';
import { LogTools } from './log-tools.tsx';
import type { FoundLine } from './search-log.ts';
import { useLogScroll, type LogScroll } from './use-log-scroll.ts';
import { RULER, useMetrics, type Metrics } from './use-metrics.ts';

const MIN_COLUMNS = 20;
/** How many columns line numbers take at least, and how many a time takes with its margin. */
const MIN_NUMBER_CELLS = 4;
const TIME_CELLS = 9;

interface LogViewerProps {
  state: LogState;
  /** The address of the plain text. */
  plainTextUrl: string;
  /** Counts the changes of the state, so that Preact draws again although `state` is the same object. */
  version: number;
}

/** The log of a build, of which only the lines in or near the visible part are in the document. */
export function LogViewer({ state, plainTextUrl }: LogViewerProps): JSX.Element {
  const [preferences, setPreferences] = useState(readPreferences);
  const box = useRef<HTMLDivElement | null>(null);
  const ruler = useRef<HTMLSpanElement | null>(null);
  const field = useRef<HTMLInputElement | null>(null);
  const { timestamps, wrap } = preferences;
  const metrics = useMetrics(box, ruler);
  const gutter = gutterCells(state, timestamps);
  const columns = wrap ? wrapColumns(metrics, gutter) : Number.POSITIVE_INFINITY;
  const layout = state.layoutAt(columns);
  const scroll = useLogScroll({ state, layout, metrics, box });
  state.continueSearch();
  useEffect(() => storePreferences(preferences), [preferences]);
  return (
    <div
      class={`build-viewer${wrap ? ' wrap' : ''}`}
      onKeyDown={(event) => focusSearchOnSlash(event, field.current)}
    >
      <LogTools
        {...{ search: state.search, current: state.current, field, preferences, plainTextUrl }}
        following={state.isComplete ? undefined : scroll.following}
        onFollow={scroll.follow}
        onSearch={(text) => state.searchFor(text)}
        onGo={(by) => state.goToFound(by, lineAtRow(layout, scroll.topRow()))}
        onPrefer={setPreferences}
        onFoldAll={(open) => state.foldAll(open)}
      />
      <LogBox {...{ state, layout, metrics, scroll, box, ruler, gutter, timestamps }} />
      {state.selected?.first !== undefined && canCopy() && (
        <button type="button" class="quiet build-copy-link" onClick={copyLink}>
          Copy link
        </button>
      )}
      {!scroll.isAtEnd && (
        <button type="button" class="build-to-end" onClick={() => scrollToEnd(box.current)}>
          Jump to the end
        </button>
      )}
    </div>
  );
}

interface LogBoxProps {
  state: LogState;
  layout: LogLayout;
  metrics: Metrics | undefined;
  scroll: LogScroll;
  box: RefObject<HTMLDivElement | null>;
  ruler: RefObject<HTMLSpanElement | null>;
  gutter: number;
  timestamps: boolean;
}

/** The box in which the log scrolls. */
function LogBox({
  state,
  layout,
  metrics,
  scroll,
  box,
  ruler,
  gutter,
  timestamps,
}: LogBoxProps): JSX.Element {
  const { range, onScroll } = scroll;
  const rows = { state, range, columns: layout.columns, rowHeight: metrics?.rowHeight ?? 0, timestamps };
  const shown = metrics === undefined ? [] : sectionsBetween(layout, range.from, range.to);
  return (
    <div
      ref={box}
      id="log"
      class="build-log"
      role="log"
      aria-live="off"
      aria-labelledby="log-title"
      tabIndex={0}
      style={{ '--number': `${gutter - (timestamps ? TIME_CELLS : 0)}ch` }}
      onScroll={onScroll}
      onClick={(event) => selectClicked(event, state)}
    >
      <span ref={ruler} class="build-ruler" aria-hidden="true">
        {RULER}
      </span>
      <div class="build-size" style={sizeOf(layout, metrics, gutter)}>
        {shown.map((placed) => (
          <SectionRows key={placed.section.key} placed={placed} {...rows} />
        ))}
      </div>
      {layout.sections.length === 0 && (
        <p class="build-note">{state.isComplete ? 'No output.' : 'No output yet.'}</p>
      )}
    </div>
  );
}

/** The columns that the line number, its margins and the time take. */
function gutterCells(state: LogState, timestamps: boolean): number {
  const lines = Math.max(0, ...state.sections.map((section) => section.lines.end));
  return Math.max(MIN_NUMBER_CELLS, String(lines).length) + 2 + (timestamps ? TIME_CELLS : 0);
}

function wrapColumns(metrics: Metrics | undefined, gutter: number): number {
  if (metrics === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(MIN_COLUMNS, Math.floor(metrics.width / metrics.characterWidth) - gutter - 1);
}

/** The size of the whole log. Lines that do not wrap can be wider than the box. */
function sizeOf({ rows, columns, sections }: LogLayout, metrics: Metrics | undefined, gutter: number): Style {
  const { characterWidth, rowHeight, width } = metrics ?? { characterWidth: 0, rowHeight: 0, width: 0 };
  const wrap = Number.isFinite(columns);
  const widest = Math.max(0, ...sections.map(({ section, open }) => (open ? section.lines.widest : 0)));
  return {
    height: `${rows * rowHeight}px`,
    '--text-width': wrap ? `${columns * characterWidth + 1}px` : 'auto',
    '--view': `${width}px`,
    minWidth: wrap ? '0' : `${(gutter + 1 + widest) * characterWidth}px`,
  };
}

type Style = Record<string, string>;

function lineAtRow(layout: LogLayout, row: number): FoundLine | undefined {
  const anchor = anchorAt(layout, row);
  return anchor && { key: anchor.key, line: anchor.line ?? 0 };
}

/** Lets `/` focus the search field, but only while the log or its tools have the focus (WCAG 2.2, 2.1.4). */
function focusSearchOnSlash(event: KeyboardEvent, field: HTMLInputElement | null): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return;
  event.preventDefault();
  field?.focus();
  field?.select();
}

function selectClicked(event: TargetedMouseEvent<HTMLElement>, state: LogState): void {
  const { target } = event;
  if (!(target instanceof HTMLElement) || !target.classList.contains('build-number')) return;
  const key = target.closest<HTMLElement>('[data-section]')?.dataset['section'];
  if (key === undefined) return;
  const line = Number(target.dataset['number']);
  const selected: LineLink = selectLine(state.selected, { key, line, extend: event.shiftKey });
  state.select(selected);
  history.replaceState(null, '', writeLineLink(selected));
}

function copyLink(): void {
  void navigator.clipboard.writeText(location.href);
}

function scrollToEnd(log: HTMLElement | null): void {
  if (log !== null) log.scrollTop = log.scrollHeight;
}
