import type { Point } from '#domain/graph/points.ts';
import type { Rectangle, ViewFrame, Viewport } from './viewport.ts';

const MAX_PIXELS = { width: 160, height: 110 };

interface MinimapGeometry {
  /** The size of the minimap in pixels. */
  width: number;
  height: number;
  /** How many pixels of the minimap a point of the graph takes. */
  scale: number;
  /** The part of the graph that is in the view, in points of the graph. */
  shown: Rectangle;
}

/** The size of the minimap, and the part of the graph in the view. */
export function minimapOf({ x, y, scale }: Viewport, { graph, view }: ViewFrame): MinimapGeometry {
  const factor = Math.min(MAX_PIXELS.width / graph.width, MAX_PIXELS.height / graph.height);
  const left = Math.max(0, -x / scale);
  const top = Math.max(0, -y / scale);
  const right = Math.min(graph.width, (view.width - x) / scale);
  const bottom = Math.min(graph.height, (view.height - y) / scale);
  return {
    width: Math.max(1, Math.round(graph.width * factor)),
    height: Math.max(1, Math.round(graph.height * factor)),
    scale: factor,
    shown: { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) },
  };
}

/** The point of the graph at this point of the minimap. */
export const pointInGraph = ({ x, y }: Point, { scale }: Pick<MinimapGeometry, 'scale'>): Point => ({
  x: x / scale,
  y: y / scale,
});
