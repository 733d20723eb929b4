import type { Point } from './points.ts';

/**
 * Positions of nodes and edges, in points from the upper left corner. `nodes` and `edges` have the order of
 * the graph.
 */
export interface Layout {
  width: number;
  height: number;
  /** Centres of the nodes. */
  nodes: Point[];
  edges: EdgePaths[];
}

/** SVG path data of an edge. `line` ends inside the arrowhead `arrow`, whose tip touches the node. */
export interface EdgePaths {
  line: string;
  arrow: string;
}
