import { boxOf, ROW_HEIGHT, ROWS_MARGIN } from './box.ts';
import type { GraphEdge, GraphNode } from './graph.ts';
import { FONT_SIZE } from './measure-label.ts';
import { worstTone, type NodeStyle, type Style, type Tone } from './node-style.ts';
import { svgPoint, type Point } from './points.ts';

/**
 * A rectangle with a label, in points. Pictures and the graph in the browser consist of tiles. `x` and `y`
 * are the upper left corner.
 */
export interface Tile {
  x: number;
  y: number;
  width: number;
  height: number;
  radius: number;
  tone: Tone;
  dashed: boolean;
  pinned: boolean;
  title: string;
  label?: { text: string; x: number; baseline: number };
}

/** Distance from the middle of a tile down to the baseline of its text, so that the text looks centred. */
const BASELINE_OFFSET = FONT_SIZE * 0.36;

/** The tiles of a node: first the tile of the node itself, then the tiles of its rows. */
export function tilesOf(node: GraphNode, style: NodeStyle, centre: Point): Tile[] {
  const { labels, more, width, height } = boxOf(node);
  const [x, y] = [centre.x - width / 2, centre.y - height / 2];
  const nodeTile = tile(style, { x, y, width, height }, node.kind === 'job' ? 8 : 2);
  if (labels.length === 1) return [withLabel(nodeTile, labels[0])];
  const rows = labels.map((label, index): Tile => {
    const isMore = more > 0 && index === labels.length - 1;
    const row = isMore ? styleOfLastRow(style, index) : (style.rows[index] ?? style);
    const place = {
      x: x + ROWS_MARGIN,
      y: y + ROWS_MARGIN + index * ROW_HEIGHT,
      width: width - 2 * ROWS_MARGIN,
      height: ROW_HEIGHT - ROWS_MARGIN,
    };
    return withLabel(tile(row, place, 4), label);
  });
  return [{ ...nodeTile, tone: 'resource', dashed: false }, ...rows];
}

/**
 * The style of a last row that stands for several jobs: those from the index `from` on. The row has the worst
 * tone of the jobs on the path of the followed version. If none of the jobs is on the path, it has the worst
 * tone of all.
 */
function styleOfLastRow(style: NodeStyle, from: number): Style {
  const styles = style.rows.slice(from);
  const onPath = styles.filter(({ faded }) => !faded);
  return {
    ...style,
    tone: worstTone((onPath.length > 0 ? onPath : styles).map(({ tone }) => tone)),
    dashed: styles.some(({ dashed }) => dashed),
    title: styles.map(({ title }) => title).join('; '),
  };
}

function tile(style: Style, place: Pick<Tile, 'x' | 'y' | 'width' | 'height'>, radius: number): Tile {
  const { tone, dashed, pinned, title } = style;
  return { ...place, radius, tone, dashed, pinned, title };
}

function withLabel(unlabelled: Tile, text = ''): Tile {
  const middle = { x: unlabelled.x + unlabelled.width / 2, y: unlabelled.y + unlabelled.height / 2 };
  return { ...unlabelled, label: { text, x: middle.x, baseline: middle.y + BASELINE_OFFSET } };
}

/** The width of the border of a tile, in points. */
export const strokeOf = ({ dashed, pinned }: Pick<Tile, 'dashed' | 'pinned'>): number => {
  if (pinned) return 3;
  return dashed ? 2 : 1;
};

/**
 * Whether the edge starts or ends at a row. Such an edge crosses the margin of a compact node, so it must be
 * drawn after the node.
 */
export const touchesRow = ({ fromRow, toRow }: Pick<GraphEdge, 'fromRow' | 'toRow'>): boolean =>
  fromRow !== undefined || toRow !== undefined;

/** SVG path data of the rectangle with rounded corners. */
export function tilePath({ x, y, width, height, radius: r }: Tile): string {
  const corner = (dx: number, dy: number): string => `a${r},${r} 0 0 1 ${dx},${dy}`;
  const [h, v] = [width - 2 * r, height - 2 * r];
  const start = svgPoint({ x: x + r, y });
  return `M${start}h${h}${corner(r, r)}v${v}${corner(-r, r)}h${-h}${corner(-r, -r)}v${-v}${corner(r, -r)}z`;
}
