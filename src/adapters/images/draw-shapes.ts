import { PINNED_BORDER, TONES } from '#domain/graph/look.ts';
import { LETTERS } from '#domain/graph/measure-label.ts';
import { EDGE } from '#domain/graph/write-dot.ts';
import { isFaded, isOfRow, strokeOf, type Picture } from './draw-svg.ts';
import { tilePath, tilesOf, type Tile } from './drawing.ts';

/**
 * A picture to be made of pixels: its shapes as SVG, and the letters apart, because SVG renderers take half a
 * millisecond a text.
 */
export interface Shapes {
  svg: string;
  /** Pixels. */
  width: number;
  height: number;
  /** Pixels to a point. */
  scale: number;
  labels: LabelToPaint[];
}

export interface LabelToPaint {
  text: string;
  /** Of its middle, in points. */
  x: number;
  baseline: number;
  /** `#rrggbb` */
  ink: string;
  faded: boolean;
}

/** Small graphs get up to twice as many pixels as points, for sharp letters. */
const MOST_SCALE = 2;
const MOST_PIXELS_ENLARGED = 2_000_000;
/** Large graphs get smaller letters, not more memory. */
const MOST_PIXELS = 3_200_000;
/** Renderers and viewers end at 32,767. */
const MOST_SIDE = 16_000;
/** Letters come in steps of a quarter of a pixel, so that pictures of about the same size share them. */
const STEP = 0.25 / LETTERS;

export function drawShapes({ graph, layout, looks }: Picture): Shapes {
  const scale = scaleOf(layout);
  const [edges, nodes, rows, rowEdges] = [new Layer(), new Layer(), new Layer(), new Layer()];
  drawEdges({ graph, layout, looks }, edges, rowEdges);
  const labels: LabelToPaint[] = [];
  for (const [index, node] of graph.nodes.entries()) {
    const [look, centre] = [looks.get(node.id), layout.nodes[index]];
    if (!look || !centre) continue;
    for (const [row, tile] of tilesOf(node, look, centre).entries()) {
      (row === 0 ? nodes : rows).add(styleOf(tile) + opacity(look.faded), tilePath(tile));
      if (tile.label) labels.push({ ...tile.label, ink: TONES[tile.tone].ink, faded: look.faded });
    }
  }
  const [width, height] = [Math.ceil(layout.width * scale), Math.ceil(layout.height * scale)];
  const body = [edges, nodes, rows, rowEdges].flatMap((layer) => layer.paths()).join('\n');
  return {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width / scale} ${height / scale}">${body}</svg>`,
    width,
    height,
    scale,
    labels,
  };
}

function drawEdges({ graph, layout, looks }: Omit<Picture, 'name'>, edges: Layer, rowEdges: Layer): void {
  for (const [index, edge] of graph.edges.entries()) {
    const curve = layout.edges[index];
    if (!curve) continue;
    const layer = isOfRow(edge) ? rowEdges : edges;
    const faded = opacity(isFaded(edge.from, edge.to, looks));
    const dash = edge.kind === 'take' ? ' stroke-dasharray="4 3"' : '';
    layer.add(`fill="none" stroke="${EDGE}"${dash}${faded}`, curve.line);
    layer.add(`fill="${EDGE}"${faded}`, curve.arrow);
  }
}

/** Things of the same look share paths: a renderer takes two thirds less time for them than for many. */
class Layer {
  readonly #paths = new Map<string, string[]>();

  add(style: string, path: string): void {
    const known = this.#paths.get(style);
    if (known) known.push(path);
    else this.#paths.set(style, [path]);
  }

  paths(): string[] {
    return [...this.#paths].flatMap(([style, parts]) =>
      bundles(parts).map((d) => `<path ${style} d="${d}"/>`),
    );
  }
}

/** Not too many: where lines of one path cross each other thousands of times, a renderer takes minutes. */
const MOST_IN_PATH = 8;

function bundles(parts: readonly string[]): string[] {
  const starts = Array.from(
    { length: Math.ceil(parts.length / MOST_IN_PATH) },
    (_, index) => index * MOST_IN_PATH,
  );
  return starts.map((start) => parts.slice(start, start + MOST_IN_PATH).join(''));
}

/** Smaller letters cannot be read. */
const MIN_LETTER_PIXELS = 5;

/** Whether pixels can show a picture of this size so that its letters can be read. */
export const isReadable = (layout: { width: number; height: number }): boolean =>
  scaleOf(layout) * LETTERS >= MIN_LETTER_PIXELS;

function scaleOf({ width, height }: { width: number; height: number }): number {
  const area = width * height;
  const enlarged = Math.min(MOST_SCALE, Math.sqrt(MOST_PIXELS_ENLARGED / area));
  const largest = Math.min(
    Math.max(1, enlarged),
    Math.sqrt(MOST_PIXELS / area),
    MOST_SIDE / Math.max(width, height),
  );
  return Math.max(STEP, Math.floor(largest / STEP) * STEP);
}

function styleOf(tile: Tile): string {
  const { fill, border } = TONES[tile.tone];
  const stroke = tile.pinned ? PINNED_BORDER : border;
  return `fill="${fill}" stroke="${stroke}" stroke-width="${strokeOf(tile)}"${tile.dashed ? ' stroke-dasharray="5 3"' : ''}`;
}

const opacity = (faded: boolean): string => (faded ? ' opacity="0.35"' : '');
