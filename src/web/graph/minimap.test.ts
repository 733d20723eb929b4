import { expect, test } from '@jest/globals';
import { minimapOf, pointInGraph } from './minimap.ts';

const graph = { width: 1600, height: 400 };
const frame = { graph, view: { width: 400, height: 300 } };

test('the minimap has the shape of the graph and shows the part in the view', () => {
  expect(minimapOf({ scale: 1, x: -200, y: -50 }, frame)).toEqual({
    width: 160,
    height: 40,
    scale: 0.1,
    shown: { x: 200, y: 50, width: 400, height: 300 },
  });
});

test('the frame of the visible part ends at the edge of the graph', () => {
  const { shown } = minimapOf({ scale: 0.5, x: 100, y: 0 }, frame);
  expect(shown).toEqual({ x: 0, y: 0, width: 600, height: 400 });
});

test('a graph of any shape fits into the minimap and is at least one pixel wide', () => {
  const high = minimapOf({ scale: 1, x: 0, y: 0 }, { ...frame, graph: { width: 10, height: 100_000 } });
  expect(high).toMatchObject({ width: 1, height: 110 });
});

test('a point of the minimap becomes a point of the graph', () => {
  expect(pointInGraph({ x: 80, y: 20 }, { scale: 0.1 })).toEqual({ x: 800, y: 200 });
});
