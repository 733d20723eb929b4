import type { GraphEdge, GraphNode } from '#domain/graph/graph.ts';
import type { EdgePaths } from '#domain/graph/layout.ts';
import type { NodeStyle } from '#domain/graph/node-style.ts';
import { tilesOf, type Tile } from '#domain/graph/tiles.ts';

/** A graph with its layout, in the form that `GET …/graph` returns. */
export interface LaidOutGraph {
  width: number;
  height: number;
  nodes: LaidOutNode[];
  edges: LaidOutEdge[];
}

/** A node with its centre, `x` and `y`. */
export type LaidOutNode = GraphNode & { x: number; y: number };

export interface LaidOutEdge extends Pick<GraphEdge, 'from' | 'to' | 'kind'>, EdgePaths {
  from_row?: number;
  to_row?: number;
}

/** What a node or a row of a compact node stands for. */
export type GraphTarget = { job: string } | { resource: string } | { jobs: readonly string[] };

/** A part of the graph that a viewer can select: a node, or a row of a compact node. */
export interface GraphItem {
  key: string;
  node: string;
  row?: number;
  tile: Tile;
  faded: boolean;
  target: GraphTarget;
}

/** The frame of a compact node, which viewers cannot select. */
export interface GraphFrame {
  node: string;
  tile: Tile;
  faded: boolean;
}

/** The items and frames of the nodes, in the order of the nodes. */
export function itemsOf(
  nodes: readonly LaidOutNode[],
  styles: ReadonlyMap<string, NodeStyle>,
): { items: GraphItem[]; frames: GraphFrame[] } {
  const items: GraphItem[] = [];
  const frames: GraphFrame[] = [];
  for (const node of nodes) {
    const style = styles.get(node.id);
    if (style === undefined) continue;
    const { id, ...centre } = node;
    const [whole, ...rows] = tilesOf(node, style, centre);
    if (whole === undefined) continue;
    if (rows.length === 0) {
      items.push({ key: id, node: id, tile: whole, faded: style.faded, target: targetOf(node, 0, 1) });
      continue;
    }
    frames.push({ node: id, tile: whole, faded: style.faded });
    for (const [row, tile] of rows.entries()) {
      // The last row stands for all jobs that have no row.
      const jobStyles = style.rows.slice(row, row === rows.length - 1 ? undefined : row + 1);
      const faded = jobStyles.every((jobStyle) => jobStyle.faded);
      const target = targetOf(node, row, rows.length);
      items.push({ key: JSON.stringify([id, row]), node: id, row, tile, faded, target });
    }
  }
  return { items, frames };
}

/** The last row stands for all jobs that have no row. */
function targetOf(node: GraphNode, row: number, rows: number): GraphTarget {
  if (node.kind === 'resource') return { resource: node.resource };
  const [job = ''] = node.jobs.slice(row);
  return row === rows - 1 && node.jobs.length > rows ? { jobs: node.jobs.slice(row) } : { job };
}

/** The name that screen readers read: a job begins with its name, a resource with its kind. */
export const nameOfItem = ({ target, tile }: GraphItem): string =>
  'resource' in target ? `resource ${tile.title}` : tile.title;
