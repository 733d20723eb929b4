import type { Graph } from '#domain/graph/graph.ts';
import { layoutEnds } from '#domain/graph/write-dot.ts';
import type { Point } from './points.ts';
import type { GraphvizLayout } from './read-plain.ts';

/** Positions of nodes and edges, in points from the upper left corner. Indexes are those of the graph. */
export interface Layout {
  width: number;
  height: number;
  /** Centres of the nodes. */
  nodes: Point[];
  edges: EdgePaths[];
}

/** SVG path data of an edge. `line` ends inside the arrow; the tip of `arrow` touches the node. */
export interface EdgePaths {
  line: string;
  arrow: string;
}

/**
 * Puts the positions from Graphviz into the order of the graph. Throws if a position is missing or not a
 * number.
 */
export function layoutOf({ width, height, nodes, edges }: GraphvizLayout, graph: Graph): Layout {
  const number = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return {
    width,
    height,
    nodes: graph.nodes.map(({ id }, index) => {
      const point = nodes.get(index);
      if (point && Number.isFinite(point.x + point.y)) return point;
      throw new Error(`Graphviz did not place ${id}`);
    }),
    edges: graph.edges.map((edge) => {
      const paths = edges.get(layoutEnds(edge, number).join(' '));
      if (paths && !paths.line.includes('NaN')) return paths;
      throw new Error(`Graphviz drew no edge from ${edge.from} to ${edge.to}`);
    }),
  };
}
