import type { JSX } from 'preact';
import { clockTime } from './clock-time.ts';
import { matchesIn } from './search-log.ts';
import type { StoredLine } from './step-lines.ts';
import { AnsiParser, type Piece } from './terminal.ts';

interface LogLineProps {
  line: StoredLine;
  /** From 1. */
  number: number;
  top: number;
  height: number;
  timestamps: boolean;
  query: string;
  isSelected: boolean;
  isCurrent: boolean;
}

/** A line of a log. CSS generates the line number, so copied text does not contain it. */
export function LogLine({
  line,
  number,
  top,
  height,
  timestamps,
  query,
  isSelected,
  isCurrent,
}: LogLineProps): JSX.Element {
  const marks = `${isSelected ? ' selected' : ''}${isCurrent ? ' current' : ''}`;
  return (
    <div class={`build-line${marks}`} data-line={number} style={{ top: `${top}px`, height: `${height}px` }}>
      <span class="build-number" data-number={number} />
      {timestamps && (
        <span class="build-time" data-time={clockTime(line.at)} title={new Date(line.at).toISOString()} />
      )}
      <span class="build-text">{piecesOf(line, query).map(drawPiece)}</span>
    </div>
  );
}

interface ShownPiece extends Piece {
  isMatch: boolean;
}

/** The pieces of a line, cut at the beginnings and ends of matches of the search. */
function piecesOf({ text, look }: StoredLine, query: string): ShownPiece[] {
  const pieces = new AnsiParser(look).read(text).filter((part) => typeof part !== 'string');
  const matches = matchesIn(pieces.map((piece) => piece.text).join(''), query);
  let start = 0;
  return pieces.flatMap((piece) => {
    const shownPieces = cutPiece(piece, start, matches);
    start += piece.text.length;
    return shownPieces;
  });
}

function cutPiece(
  { text, appearance }: Piece,
  start: number,
  matches: readonly [number, number][],
): ShownPiece[] {
  const end = start + text.length;
  const inside = matches.filter(([from, to]) => from < end && to > start);
  const cuts = [start, ...inside.flat().filter((at) => at > start && at < end), end];
  return cuts.slice(0, -1).map((from, index) => ({
    text: text.slice(from - start, (cuts[index + 1] ?? end) - start),
    appearance,
    isMatch: inside.some(([first, last]) => first <= from && from < last),
  }));
}

/** Draws a piece. Its colours are custom properties, which the content security policy lets scripts set. */
function drawPiece({
  text,
  appearance: { classes, front, back },
  isMatch,
}: ShownPiece): JSX.Element | string {
  const content = isMatch ? <mark>{text}</mark> : text;
  if (classes === '') return content;
  const style = Object.fromEntries(
    Object.entries({ front, back }).flatMap(([side, pair]) =>
      Object.entries(pair ?? {}).map(([palette, colour]) => [
        `--${side}-${palette}`,
        `rgb(${colour.join(' ')})`,
      ]),
    ),
  );
  return (
    <span class={classes} style={style}>
      {content}
    </span>
  );
}
