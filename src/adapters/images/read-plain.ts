import { ROWS_MARGIN } from '#domain/graph/box.ts';
import type { EdgePaths } from '#domain/graph/layout.ts';
import { svgPoint, type Point } from '#domain/graph/points.ts';

/**
 * A layout from Graphviz, in points from the upper left corner. Nodes have the numbers that the DOT text
 * gives them.
 */
export interface GraphvizLayout {
  width: number;
  height: number;
  nodes: Map<number, Point>;
  /**
   * By `<tail> <head>`, the numbers of two nodes. An end with a port also has its row and side: `0:2:e 3`.
   */
  edges: Map<string, EdgePaths>;
}

/** Margin around the picture for borders, in points. */
const MARGIN = 7;
const POINTS_PER_INCH = 72;

/**
 * Reads Graphviz' `plain-ext` format, in inches from the lower left corner
 * (https://graphviz.org/docs/outputs/plain/):
 *
 *   graph <scale> <width> <height>
 *   node <name> <x> <y> …
 *   edge <tail> <head> <number of points> <x> <y> <x> <y> …
 */
export function readPlain(plain: string): GraphvizLayout {
  const layout: GraphvizLayout = { width: 0, height: 0, nodes: new Map(), edges: new Map() };
  let top = 0;
  const pointAt = (x: string | undefined, y: string | undefined): Point => ({
    x: Number(x) * POINTS_PER_INCH + MARGIN,
    y: top - Number(y) * POINTS_PER_INCH + MARGIN,
  });
  for (const line of plain.split('\n')) {
    const [word, ...fields] = line.split(' ');
    if (word === 'graph') {
      top = Number(fields[2]) * POINTS_PER_INCH;
      layout.width = Math.ceil(Number(fields[1]) * POINTS_PER_INCH + 2 * MARGIN);
      layout.height = Math.ceil(top + 2 * MARGIN);
    } else if (word === 'node') {
      layout.nodes.set(Number(fields[0]), pointAt(fields[1], fields[2]));
    } else if (word === 'edge') {
      const points: Point[] = [];
      for (let index = 0; index < Number(fields[2]); index++) {
        points.push(pointAt(fields[3 + 2 * index], fields[4 + 2 * index]));
      }
      const [tail = '', head = ''] = fields.slice(0, 2).map((end) => end.replaceAll('"', ''));
      layout.edges.set(`${tail} ${head}`, edgePaths(reachRows(points, tail, head)));
    }
  }
  return layout;
}

/**
 * Graphviz ends edges at the border of a node. An edge with a port must continue across the margin to its
 * row.
 */
function reachRows(points: readonly Point[], tail: string, head: string): Point[] {
  const tailMargin = marginAt(tail);
  const headMargin = marginAt(head);
  return points.map(({ x, y }, index) => {
    if (index < 2) return { x: x - tailMargin, y };
    if (index >= points.length - 2) return { x: x + headMargin, y };
    return { x, y };
  });
}

const marginAt = (end: string): number => (end.includes(':') ? ROWS_MARGIN : 0);

/** In points. */
const ARROW = { length: 7, halfWidth: 2.8 };

function edgePaths(points: Point[]): EdgePaths {
  const [tip, before] = [points.at(-1), points.findLast((point) => !isSame(point, points.at(-1)))];
  if (!tip || !before) return { line: '', arrow: '' };
  const distance = Math.hypot(tip.x - before.x, tip.y - before.y);
  const [dx, dy] = [(tip.x - before.x) / distance, (tip.y - before.y) / distance];
  const behind = (length: number, aside: number, point: Point = tip): Point => ({
    x: point.x - dx * length - dy * aside,
    y: point.y - dy * length + dx * aside,
  });
  const [first, ...others] = [
    ...points.slice(0, -2),
    ...points.slice(-2).map((point) => behind(ARROW.length - 1, 0, point)),
  ];
  const [left, right] = [behind(ARROW.length, ARROW.halfWidth), behind(ARROW.length, -ARROW.halfWidth)];
  return {
    line: first ? `M${svgPoint(first)}C${others.map(svgPoint).join(' ')}` : '',
    arrow: `M${svgPoint(tip)}L${svgPoint(left)} ${svgPoint(right)}z`,
  };
}

const isSame = (point: Point, other: Point | undefined): boolean =>
  point.x === other?.x && point.y === other.y;
