import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { layoutEnds } from '#domain/graph/write-dot.ts';
import type { GraphvizLayout } from './read-plain.ts';

/**
 * Puts the positions from Graphviz into the order of the graph. Throws if a position is missing or not a
 * number.
 */
export function layoutOf({ width, height, nodes, edges }: GraphvizLayout, graph: Graph): Layout {
  const nodeIndexes = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return {
    width,
    height,
    nodes: graph.nodes.map(({ id }, index) => {
      const point = nodes.get(index);
      if (point && Number.isFinite(point.x + point.y)) return point;
      throw new Error(`Graphviz did not place ${id}`);
    }),
    edges: graph.edges.map((edge) => {
      const paths = edges.get(layoutEnds(edge, nodeIndexes).join(' '));
      if (paths && !paths.line.includes('NaN')) return paths;
      throw new Error(`Graphviz drew no edge from ${edge.from} to ${edge.to}`);
    }),
  };
}
