import type { GraphItem, LaidOutEdge } from './laid-out-graph.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The fields of an item that decide where the arrow keys lead. */
export type Neighbour = Pick<GraphItem, 'key' | 'node' | 'row'> & {
  tile: { x: number; y: number; width: number; height: number };
};

/**
 * The item to which an arrow key leads. Left and right follow edges. Up and down lead to the nearest item
 * above or below.
 */
export function neighbourOf<T extends Neighbour>(
  items: readonly T[],
  edges: readonly LaidOutEdge[],
  from: T,
  direction: Direction,
): T | undefined {
  const vertical =
    direction === 'up' || direction === 'down' ? nearestInDirection(items, from, direction) : undefined;
  return vertical ?? nearest(alongEdges(items, edges, from, direction), from);
}

function alongEdges<T extends Neighbour>(
  items: readonly T[],
  edges: readonly LaidOutEdge[],
  from: T,
  direction: Direction,
): T[] {
  const ends = edges.flatMap((edge) => {
    const tail = { node: edge.from, row: edge.from_row };
    const head = { node: edge.to, row: edge.to_row };
    if (direction === 'right') return isAt(from, tail) ? [head] : [];
    return direction === 'left' && isAt(from, head) ? [tail] : [];
  });
  return items.filter((item) => ends.some((end) => isAt(item, end)));
}

/** An edge without a row belongs to every row of its node. */
function isAt({ node, row }: Neighbour, end: { node: string; row: number | undefined }): boolean {
  return node === end.node && (row === undefined || end.row === undefined || row === end.row);
}

/** The nearest item above or below. */
function nearestInDirection<T extends Neighbour>(
  items: readonly T[],
  from: T,
  direction: 'up' | 'down',
): T | undefined {
  const sign = direction === 'up' ? -1 : 1;
  const candidates = items.filter((item) => sign * (middleY(item) - middleY(from)) > 1);
  return nearest(candidates, from);
}

/** The nearest item. Horizontal distance counts double, so that an item in the same column is preferred. */
function nearest<T extends Neighbour>(items: readonly T[], from: T): T | undefined {
  const distance = (item: T): number =>
    Math.abs(middleY(item) - middleY(from)) + 2 * Math.abs(middleX(item) - middleX(from));
  const [first, ...others] = items;
  return others.reduce((best, item) => (best && distance(item) < distance(best) ? item : best), first);
}

const middleX = ({ tile }: Neighbour): number => tile.x + tile.width / 2;
const middleY = ({ tile }: Neighbour): number => tile.y + tile.height / 2;
