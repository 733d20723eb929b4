import type { Graph } from '#domain/graph/graph.ts';
import { layoutEnds } from '#domain/graph/write-dot.ts';
import type { Point } from './points.ts';
import type { Placed } from './read-plain.ts';

/**
 * Where everything of a graph lies, in points from the upper left corner; indexes are those of the graph's
 * nodes and edges.
 */
export interface Layout {
  width: number;
  height: number;
  /** Centres. */
  nodes: Point[];
  edges: EdgePaths[];
}

/**
 * An edge as SVG draws it: the line, which ends inside the arrow, and the arrow, whose tip touches the node.
 */
export interface EdgePaths {
  line: string;
  arrow: string;
}

/**
 * Brings what Graphviz placed into the order of the graph, or throws where it placed nothing, or gave no
 * numbers.
 */
export function layoutOf({ width, height, nodes, edges }: Placed, graph: Graph): Layout {
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
