import { describe, expect, test } from '@jest/globals';
import type { LaidOutEdge } from './laid-out-graph.ts';
import { neighbourOf, type Direction } from './neighbours.ts';

const item = (node: string, x: number, y: number, row?: number) => ({
  key: row === undefined ? node : `${node} ${row}`,
  node,
  ...(row !== undefined && { row }),
  tile: { x, y, width: 80, height: 28 },
});
const edge = (from: string, to: string, rows: Partial<LaidOutEdge> = {}): LaidOutEdge => ({
  from,
  to,
  kind: 'trigger',
  line: '',
  arrow: '',
  ...rows,
});

/*
 *  app ─ lint ─┬─ group: amd64 ─ deploy
 *      └ unit ─┘         arm64
 *  other
 */
const ITEMS = [
  item('app', 0, 20),
  item('lint', 200, 0),
  item('unit', 200, 50),
  item('group', 400, 0, 0),
  item('group', 400, 24, 1),
  item('deploy', 600, 0),
  item('other', 0, 200),
];
const EDGES = [
  edge('app', 'lint'),
  edge('app', 'unit'),
  edge('lint', 'group'),
  edge('unit', 'group'),
  edge('group', 'deploy', { from_row: 0 }),
];

const CASES: Record<string, [from: string, direction: Direction, to: string | undefined]> = {
  'right along the nearest edge': ['app', 'right', 'lint'],
  'left against an edge': ['unit', 'left', 'app'],
  'into the nearest row of a compact node': ['unit', 'right', 'group 1'],
  'from a row along its own edge': ['group 0', 'right', 'deploy'],
  'nowhere from a row without an edge': ['group 1', 'right', undefined],
  'left to the row where the edge starts': ['deploy', 'left', 'group 0'],
  'nowhere from a node without an edge': ['other', 'right', undefined],
  'down in the column, not to a nearer node in another one': ['app', 'down', 'other'],
  'down from row to row': ['group 0', 'down', 'group 1'],
  'up to the nearest above': ['unit', 'up', 'lint'],
  'nowhere above the first': ['lint', 'up', undefined],
};

describe('the arrow keys lead', () => {
  test.each(Object.entries(CASES))('%s', (_name, [from, direction, to]) => {
    const start = ITEMS.find(({ key }) => key === from);
    expect(start && neighbourOf(ITEMS, EDGES, start, direction)?.key).toBe(to);
  });
});
