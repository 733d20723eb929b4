import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { anchorAt, HEADER_ROWS, rowOfAnchor, type Anchor, type LogLayout } from './log-layout.ts';
import type { LogState } from './log-state.ts';
import type { Metrics } from './use-metrics.ts';

/**
 * At least this many rows above and below the visible ones are drawn too, so that a fast scroll shows no gap.
 */
const MIN_ROWS_AROUND = 40;
/** The drawn rows change in steps of this many, not with each pixel. */
const STEP_ROWS = 16;
/** A log that is scrolled to within this many pixels of its end counts as at the end. */
const END_PIXELS = 4;

interface ScrollParts {
  state: LogState;
  layout: LogLayout;
  metrics: Metrics | undefined;
  box: RefObject<HTMLElement | null>;
}

export interface LogScroll {
  range: { from: number; to: number };
  following: boolean;
  isAtEnd: boolean;
  follow: (following: boolean) => void;
  onScroll: () => void;
  /** Returns the row at the top of the visible part. */
  topRow: () => number;
}

/**
 * Scrolls a log. It follows the end until the viewer scrolls up, goes to targets, and keeps the line that the
 * viewer reads in its place when rows above that line come or go.
 */
export function useLogScroll({ state, layout, metrics, box }: ScrollParts): LogScroll {
  const [range, setRange] = useState({ from: 0, to: 2 * MIN_ROWS_AROUND });
  const [following, setFollowing] = useState(() => state.build?.ended_at === undefined);
  const [isAtEnd, setAtEnd] = useState(true);
  const lastPosition = useRef<{ top: number; anchor?: { at: Anchor; row: number } }>({ top: 0 });
  const rowHeight = metrics?.rowHeight ?? 0;

  const updateFromScroll = (log: HTMLElement): void => {
    const { scrollTop, clientHeight } = log;
    setAtEnd(scrollTop + clientHeight >= log.scrollHeight - END_PIXELS);
    if (rowHeight === 0) return;
    const topRow = scrollTop / rowHeight;
    const anchor = anchorAt(layout, topRow);
    lastPosition.current = {
      top: scrollTop,
      ...(anchor && { anchor: { at: anchor, row: topRow } }),
    };
    const next = drawnRange(topRow, clientHeight / rowHeight);
    setRange((known) => (known.from === next.from && known.to === next.to ? known : next));
  };

  useLayoutEffect(() => {
    const log = box.current;
    if (log === null || rowHeight === 0) return;
    const target = targetRow(state, layout);
    if (target !== undefined) {
      setFollowing(false);
      log.scrollTop = Math.max(0, target * rowHeight - log.clientHeight / 3);
      if (state.target?.focus === true) focusLog(log);
      state.clearTarget();
    } else if (following) log.scrollTop = log.scrollHeight;
    else {
      const moved = movedRows(layout, lastPosition.current.anchor);
      if (moved !== 0) log.scrollTop += moved * rowHeight;
    }
    updateFromScroll(log);
  }, [layout, metrics, following, state.target]);

  return {
    range,
    following,
    isAtEnd,
    follow: setFollowing,
    onScroll: () => {
      const log = box.current;
      if (log === null) return;
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - END_PIXELS;
      if (log.scrollTop < lastPosition.current.top && !atEnd) {
        state.hasMoved = true;
        setFollowing(false);
      } else if (atEnd && !state.isComplete) setFollowing(true);
      updateFromScroll(log);
    },
    topRow: () => (box.current?.scrollTop ?? 0) / (rowHeight || 1),
  };
}

function drawnRange(top: number, rows: number): { from: number; to: number } {
  const around = Math.max(MIN_ROWS_AROUND, rows);
  return {
    from: Math.max(0, Math.floor((top - around) / STEP_ROWS) * STEP_ROWS),
    to: Math.ceil((top + rows + around) / STEP_ROWS) * STEP_ROWS,
  };
}

/** The row of the target. Undefined: there is no target, or its line has not arrived. */
function targetRow({ target }: LogState, layout: LogLayout): number | undefined {
  if (target === undefined) return undefined;
  const { key, first } = target;
  const section = layout.sections.find((placed) => placed.section.key === key)?.section;
  if (section === undefined || (first !== undefined && first > section.lines.end)) return undefined;
  const row = rowOfAnchor(layout, {
    key,
    offset: 0,
    ...(first !== undefined && first > 0 && { line: first - 1 }),
  });
  return row === undefined ? undefined : Math.max(0, row - HEADER_ROWS);
}

/** How many rows the anchor has moved down since it was stored. */
function movedRows(layout: LogLayout, anchor: { at: Anchor; row: number } | undefined): number {
  if (anchor === undefined) return 0;
  return (rowOfAnchor(layout, anchor.at) ?? anchor.row) - anchor.row;
}

function focusLog(log: HTMLElement): void {
  log.focus({ preventScroll: true });
  log.scrollIntoView({ block: 'nearest' });
}
