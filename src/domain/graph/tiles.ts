import { boxOf, ROW_HEIGHT, ROWS_MARGIN } from './box.ts';
import type { GraphEdge, GraphNode } from './graph.ts';
import { FONT_SIZE } from './measure-label.ts';
import type { NodeStyle, Style, Tone } from './node-style.ts';
import { svgPoint, type Point } from './points.ts';

/** A labelled rectangle. Pictures and the graph in the browser are all drawn from these. */
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

/** Distance from the middle to the baseline that makes text look centred. */
const BASELINE_OFFSET = FONT_SIZE * 0.36;

/** The tile of the node itself, then those of its rows. */
export function tilesOf(node: GraphNode, style: NodeStyle, centre: Point): Tile[] {
  const { labels, more, width, height } = boxOf(node);
  const [x, y] = [centre.x - width / 2, centre.y - height / 2];
  const whole = tile(style, { x, y, width, height }, node.kind === 'job' ? 8 : 2);
  if (labels.length === 1) return [withLabel(whole, labels[0])];
  const rows = labels.map((label, index): Tile => {
    const isMore = more > 0 && index === labels.length - 1;
    const row = isMore ? lookOfRest(style, index) : (style.rows[index] ?? style);
    const place = {
      x: x + ROWS_MARGIN,
      y: y + ROWS_MARGIN + index * ROW_HEIGHT,
      width: width - 2 * ROWS_MARGIN,
      height: ROW_HEIGHT - ROWS_MARGIN,
    };
    return withLabel(tile(row, place, 4), label);
  });
  return [{ ...whole, tone: 'resource', dashed: false }, ...rows];
}

/** The last row stands for several jobs: it has the worst style among them. */
function lookOfRest(style: NodeStyle, from: number): Style {
  const rest = style.rows.slice(from);
  return {
    ...style,
    tone: rest.find(({ tone }) => tone === style.tone)?.tone ?? rest[0]?.tone ?? style.tone,
    dashed: rest.some(({ dashed }) => dashed),
    title: rest.map(({ title }) => title).join('; '),
  };
}

function tile(style: Style, place: Pick<Tile, 'x' | 'y' | 'width' | 'height'>, radius: number): Tile {
  const { tone, dashed, pinned, title } = style;
  return { ...place, radius, tone, dashed, pinned, title };
}

function withLabel(whole: Tile, text = ''): Tile {
  const middle = { x: whole.x + whole.width / 2, y: whole.y + whole.height / 2 };
  return { ...whole, label: { text, x: middle.x, baseline: middle.y + BASELINE_OFFSET } };
}

/** Width of the border. */
export const strokeOf = ({ dashed, pinned }: Pick<Tile, 'dashed' | 'pinned'>): number => {
  if (pinned) return 3;
  return dashed ? 2 : 1;
};

/** Whether the edge ends at a row: it crosses the margin of a compact node, so it is drawn over the node. */
export const touchesRow = ({ fromRow, toRow }: Pick<GraphEdge, 'fromRow' | 'toRow'>): boolean =>
  fromRow !== undefined || toRow !== undefined;

export function tilePath({ x, y, width, height, radius: r }: Tile): string {
  const corner = (dx: number, dy: number): string => `a${r},${r} 0 0 1 ${dx},${dy}`;
  const [h, v] = [width - 2 * r, height - 2 * r];
  const start = svgPoint({ x: x + r, y });
  return `M${start}h${h}${corner(r, r)}v${v}${corner(-r, r)}h${-h}${corner(-r, -r)}v${-v}${corner(r, -r)}z`;
}
