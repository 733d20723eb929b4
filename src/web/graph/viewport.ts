import type { Point } from '#domain/graph/points.ts';

/** Where the graph is on the screen: `screen = graph × scale + (x, y)`. */
export interface Viewport extends Point {
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Rectangle extends Point, Size {}

/** How many pixels are between the graph and the edge of the view. */
const MARGIN = 12;
/** A small graph is enlarged up to this scale. */
const MAX_FIT = 1.25;
const MAX_SCALE = 3;
/** How many pixels of the graph always stay in the view. */
const REMAINING = 60;

/** Shows the whole graph in the middle of the view, as large as the view and `MAX_FIT` allow. */
export function fit(graph: Size, view: Size): Viewport {
  const room = { width: view.width - 2 * MARGIN, height: view.height - 2 * MARGIN };
  const scale = Math.max(0.01, Math.min(MAX_FIT, room.width / graph.width, room.height / graph.height));
  return {
    scale,
    x: (view.width - graph.width * scale) / 2,
    y: (view.height - graph.height * scale) / 2,
  };
}

/** Labels are legible at this scale and above. */
const LEGIBLE = 0.6;

/** The first view: the whole graph if its labels are legible, otherwise its beginning at a legible scale. */
export function openingView(graph: Size, view: Size): Viewport {
  const whole = fit(graph, view);
  if (whole.scale >= LEGIBLE) return whole;
  const scale = Math.min(1, Math.max(LEGIBLE, (view.width - 2 * MARGIN) / graph.width));
  const start = (length: number, room: number): number => Math.max(MARGIN, (room - length * scale) / 2);
  return { scale, x: start(graph.width, view.width), y: start(graph.height, view.height) };
}

/** Zooms so that the point of the graph at this point of the view stays there. */
export function zoomAt(viewport: Viewport, factor: number, at: Point, frame: ViewFrame): Viewport {
  const smallest = Math.min(1, fit(frame.graph, frame.view).scale);
  const scale = Math.min(MAX_SCALE, Math.max(smallest, viewport.scale * factor));
  const ratio = scale / viewport.scale;
  const moved = { scale, x: at.x - (at.x - viewport.x) * ratio, y: at.y - (at.y - viewport.y) * ratio };
  return keepInView(moved, frame);
}

/** The sizes of the graph and of the view that shows it. */
export interface ViewFrame {
  graph: Size;
  view: Size;
}

export function panBy(viewport: Viewport, by: Point, frame: ViewFrame): Viewport {
  return keepInView({ ...viewport, x: viewport.x + by.x, y: viewport.y + by.y }, frame);
}

/** Keeps a part of the graph in the view, so that viewers find it again. */
function keepInView({ scale, x, y }: Viewport, { graph, view }: ViewFrame): Viewport {
  return {
    scale,
    x: clamp(x, REMAINING - graph.width * scale, view.width - REMAINING),
    y: clamp(y, REMAINING - graph.height * scale, view.height - REMAINING),
  };
}

/** Moves as little as needed to show the box. Returns the same object if the box is visible already. */
export function reveal(viewport: Viewport, box: Rectangle, view: Size): Viewport {
  const { scale, x, y } = viewport;
  const right = shiftInto(box.x * scale + x, box.width * scale, view.width);
  const down = shiftInto(box.y * scale + y, box.height * scale, view.height);
  return right === 0 && down === 0 ? viewport : { scale, x: x + right, y: y + down };
}

/** How far a stretch must move to fit into the room. If it is too long, its start must be inside. */
function shiftInto(start: number, length: number, room: number): number {
  if (start < MARGIN) return MARGIN - start;
  return Math.max(MARGIN - start, Math.min(0, room - MARGIN - (start + length)));
}

/** Puts this point of the graph in the middle of the view. */
export function centreOn(viewport: Viewport, at: Point, frame: ViewFrame): Viewport {
  const { scale } = viewport;
  const { width, height } = frame.view;
  return keepInView({ scale, x: width / 2 - at.x * scale, y: height / 2 - at.y * scale }, frame);
}

/** Whether a part of the graph is outside of the view. */
export function exceedsView({ scale, x, y }: Viewport, { graph, view }: ViewFrame): boolean {
  const right = x + graph.width * scale;
  const bottom = y + graph.height * scale;
  return x < -1 || y < -1 || right > view.width + 1 || bottom > view.height + 1;
}

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, Math.min(low, high)), Math.max(low, high));
