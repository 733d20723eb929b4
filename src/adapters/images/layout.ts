import type { Graph } from '#domain/graph/graph.ts';
import type { Point } from './points.ts';
import { at } from './points.ts';

/** Where everything of a graph lies, in points from the upper left corner; indexes are those of the graph's nodes and edges. */
export interface Layout {
  width: number;
  height: number;
  /** Centres. */
  nodes: Point[];
  edges: EdgePaths[];
}

/** An edge as SVG draws it: the line, which ends inside the arrow, and the arrow, whose tip touches the node. */
export interface EdgePaths {
  line: string;
  arrow: string;
}

/** Points around the picture, for borders. */
const MARGIN = 7;
const POINTS_PER_INCH = 72;

/** Reads Graphviz' `plain` text of a graph whose nodes are called by their numbers: a line for each node and edge, in inches. */
export function readLayout(plain: string, { nodes, edges }: Graph): Layout {
  const lines = plain.split('\n').map((line) => line.split(' '));
  const [, , width = 0, height = 0] = lines.find(([word]) => word === 'graph')?.map(Number) ?? [];
  const place = (x = '', y = ''): Point => ({
    x: inPoints(Number(x)) + MARGIN,
    y: inPoints(height - Number(y)) + MARGIN,
  });
  const centres = new Map(
    lines.flatMap(([word, name = '', x, y]) => (word === 'node' ? [[name, [place(x, y)]]] : [])),
  );
  const curves = new Map(
    lines.flatMap(([word, tail, head, count, ...rest]) =>
      word === 'edge' ? [[`${tail} ${head}`, readCurve(rest.slice(0, 2 * Number(count)), place)]] : [],
    ),
  );
  const number = new Map(nodes.map(({ id }, index) => [id, index]));
  return {
    width: Math.ceil(inPoints(width) + 2 * MARGIN),
    height: Math.ceil(inPoints(height) + 2 * MARGIN),
    nodes: nodes.flatMap(({ id }, index) => sound(centres.get(String(index)), id)),
    edges: edges.map(({ from, to }) =>
      edgePaths(sound(curves.get(`${number.get(from)} ${number.get(to)}`), `${from} → ${to}`)),
    ),
  };
}

function readCurve(coordinates: string[], place: (x?: string, y?: string) => Point): Point[] {
  return coordinates.flatMap((x, index) => (index % 2 === 0 ? [place(x, coordinates[index + 1])] : []));
}

/** What Graphviz placed, or an error when it did not, or gave no numbers. */
function sound(points: Point[] | undefined, what: string): Point[] {
  if (points && points.length > 0 && points.every(({ x, y }) => Number.isFinite(x + y))) return points;
  throw new Error(`Graphviz did not place ${what}`);
}

const ARROW = { length: 7, half: 2.8 };

function edgePaths(points: Point[]): EdgePaths {
  const [tip, before] = [points.at(-1), points.findLast((point) => !isSame(point, points.at(-1)))];
  if (!tip || !before) return { line: '', arrow: '' };
  const distance = Math.hypot(tip.x - before.x, tip.y - before.y);
  const [dx, dy] = [(tip.x - before.x) / distance, (tip.y - before.y) / distance];
  const back = (length: number, aside: number, from: Point = tip): Point => ({
    x: from.x - dx * length - dy * aside,
    y: from.y - dy * length + dx * aside,
  });
  const [first, ...others] = [
    ...points.slice(0, -2),
    ...points.slice(-2).map((point) => back(ARROW.length - 1, 0, point)),
  ];
  return {
    line: first ? `M${at(first)}C${others.map(at).join(' ')}` : '',
    arrow: `M${at(tip)}L${at(back(ARROW.length, ARROW.half))} ${at(back(ARROW.length, -ARROW.half))}z`,
  };
}

const isSame = (one: Point, other: Point | undefined): boolean => one.x === other?.x && one.y === other.y;

const inPoints = (inches: number): number => inches * POINTS_PER_INCH;
