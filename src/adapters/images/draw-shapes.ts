import { FONT_SIZE } from '#domain/graph/measure-label.ts';
import { PINNED_BORDER, TONES } from '#domain/graph/node-style.ts';
import { strokeOf, tilePath, tilesOf, touchesRow, type Tile } from '#domain/graph/tiles.ts';
import { EDGE_COLOUR } from '#domain/graph/write-dot.ts';
import { isFaded, type Picture } from './draw-svg.ts';

/**
 * A picture to be rasterised: its shapes as SVG, and its labels separately, because SVG renderers take half a
 * millisecond for each text.
 */
export interface Shapes {
  svg: string;
  /** In pixels, as is `height`. */
  width: number;
  height: number;
  /** Pixels per point. */
  scale: number;
  labels: PlacedLabel[];
}

export interface PlacedLabel {
  text: string;
  /** Centre of the text, in points. */
  x: number;
  baseline: number;
  /** `#rrggbb` */
  ink: string;
  faded: boolean;
}

/** Small graphs are enlarged by at most this factor, so that their text is sharp. */
const MAX_SCALE = 2;
/** A graph is not enlarged beyond this size. */
const MAX_ENLARGED_PIXELS = 2_000_000;
/** Larger graphs are scaled down to this size, so that memory stays bounded. */
const MAX_PIXELS = 3_200_000;
/** Limit of width and height. Renderers and viewers support at most 32,767 pixels. */
const MAX_SIDE_PIXELS = 16_000;
/** Font sizes are multiples of a quarter of a pixel, so that pictures of similar size share glyphs. */
const SCALE_STEP = 0.25 / FONT_SIZE;

export function drawShapes({ graph, layout, styles }: Picture): Shapes {
  const scale = scaleOf(layout);
  const [edges, nodes, rows, rowEdges] = [new Layer(), new Layer(), new Layer(), new Layer()];
  drawEdges({ graph, layout, styles }, edges, rowEdges);
  const labels: PlacedLabel[] = [];
  for (const [index, node] of graph.nodes.entries()) {
    const [style, centre] = [styles.get(node.id), layout.nodes[index]];
    if (!style || !centre) continue;
    for (const [row, tile] of tilesOf(node, style, centre).entries()) {
      (row === 0 ? nodes : rows).add(styleOf(tile) + opacityAttribute(style.faded), tilePath(tile));
      if (tile.label) labels.push({ ...tile.label, ink: TONES[tile.tone].ink, faded: style.faded });
    }
  }
  const [width, height] = [Math.ceil(layout.width * scale), Math.ceil(layout.height * scale)];
  // From the lowest to the highest layer: the rows of a compact node cover its frame, and the edges of rows
  // cover both.
  const body = [edges, nodes, rows, rowEdges].flatMap((layer) => layer.paths()).join('\n');
  return {
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"` +
      ` viewBox="0 0 ${width / scale} ${height / scale}">${body}</svg>`,
    width,
    height,
    scale,
    labels,
  };
}

function drawEdges({ graph, layout, styles }: Omit<Picture, 'name'>, edges: Layer, rowEdges: Layer): void {
  for (const [index, edge] of graph.edges.entries()) {
    const curve = layout.edges[index];
    if (!curve) continue;
    const layer = touchesRow(edge) ? rowEdges : edges;
    const faded = opacityAttribute(isFaded(edge.from, edge.to, styles));
    const dash = edge.kind === 'take' ? ' stroke-dasharray="4 3"' : '';
    layer.add(`fill="none" stroke="${EDGE_COLOUR}"${dash}${faded}`, curve.line);
    layer.add(`fill="${EDGE_COLOUR}"${faded}`, curve.arrow);
  }
}

/**
 * Joins shapes of the same style into common paths, because a renderer draws them three times as fast as
 * single ones.
 */
class Layer {
  readonly #paths = new Map<string, string[]>();

  add(style: string, path: string): void {
    const paths = this.#paths.get(style);
    if (paths) paths.push(path);
    else this.#paths.set(style, [path]);
  }

  paths(): string[] {
    return [...this.#paths].flatMap(([style, parts]) =>
      bundles(parts).map((d) => `<path ${style} d="${d}"/>`),
    );
  }
}

/**
 * Limit of the shapes in one path. A renderer takes minutes for a path in which lines cross thousands of
 * times.
 */
const MAX_SHAPES_PER_PATH = 8;

function bundles(parts: readonly string[]): string[] {
  const firstIndexes = Array.from(
    { length: Math.ceil(parts.length / MAX_SHAPES_PER_PATH) },
    (_, index) => index * MAX_SHAPES_PER_PATH,
  );
  return firstIndexes.map((start) => parts.slice(start, start + MAX_SHAPES_PER_PATH).join(''));
}

/** Letters with fewer pixels are not legible. */
const MIN_LETTER_PIXELS = 5;

/** Whether a PNG of this layout has legible labels. */
export const isReadable = (layout: { width: number; height: number }): boolean =>
  scaleOf(layout) * FONT_SIZE >= MIN_LETTER_PIXELS;

function scaleOf({ width, height }: { width: number; height: number }): number {
  const area = width * height;
  const enlarged = Math.min(MAX_SCALE, Math.sqrt(MAX_ENLARGED_PIXELS / area));
  const maxScale = Math.min(
    Math.max(1, enlarged),
    Math.sqrt(MAX_PIXELS / area),
    MAX_SIDE_PIXELS / Math.max(width, height),
  );
  return Math.max(SCALE_STEP, Math.floor(maxScale / SCALE_STEP) * SCALE_STEP);
}

function styleOf(tile: Tile): string {
  const { fill, border } = TONES[tile.tone];
  const stroke = tile.pinned ? PINNED_BORDER : border;
  const dash = tile.dashed ? ' stroke-dasharray="5 3"' : '';
  return `fill="${fill}" stroke="${stroke}" stroke-width="${strokeOf(tile)}"${dash}`;
}

const opacityAttribute = (faded: boolean): string => (faded ? ' opacity="0.35"' : '');
