import { describe, expect, test } from '@jest/globals';
import { centreOn, exceedsView, fit, openingView, panBy, reveal, zoomAt } from './viewport.ts';

const VIEW = { width: 800, height: 400 };
const SMALL = { width: 200, height: 100 };
const LARGE = { width: 8000, height: 500 };

/** The point of the view at which a point of the graph is. */
const pointInView = (point: { x: number; y: number }, { x, y, scale }: ReturnType<typeof fit>) => ({
  x: point.x * scale + x,
  y: point.y * scale + y,
});

describe('the whole graph', () => {
  test('is in the middle of the view, enlarged a little', () => {
    expect(fit(SMALL, VIEW)).toEqual({ scale: 1.25, x: 275, y: 137.5 });
  });

  test('is scaled down until all of it is in the view', () => {
    const whole = fit(LARGE, VIEW);
    expect(whole.scale).toBeCloseTo(776 / 8000);
    expect(exceedsView(whole, { graph: LARGE, view: VIEW })).toBe(false);
  });

  test('has a scale above zero even if the view has no size', () => {
    expect(fit(SMALL, { width: 0, height: 0 }).scale).toBe(0.01);
  });
});

describe('the first view', () => {
  test('is the whole graph if its labels are legible', () => {
    expect(openingView(SMALL, VIEW)).toEqual(fit(SMALL, VIEW));
  });

  test('of a long graph is its beginning at a legible scale, in the middle of the height', () => {
    expect(openingView(LARGE, VIEW)).toEqual({ scale: 0.6, x: 12, y: 50 });
  });

  test('of a high graph fills the width and begins at the top', () => {
    const opening = openingView({ width: 1000, height: 9000 }, VIEW);
    expect(opening).toEqual({ scale: 0.776, x: 12, y: 12 });
  });
});

describe('zoom', () => {
  test('keeps the point under the pointer in its place', () => {
    const frame = { graph: LARGE, view: VIEW };
    const before = openingView(LARGE, VIEW);
    const at = { x: 300, y: 200 };
    const point = { x: (at.x - before.x) / before.scale, y: (at.y - before.y) / before.scale };
    const after = zoomAt(before, 1.3, at, frame);
    expect(after.scale).toBeCloseTo(0.78);
    const { x, y } = pointInView(point, after);
    expect([x, y].map(Math.round)).toEqual([300, 200]);
  });

  test.each([
    ['in', 100, 3],
    ['out', 0.0001, 776 / 8000],
  ])('%s has a limit', (_way, factor, scale) => {
    const frame = { graph: LARGE, view: VIEW };
    expect(zoomAt(fit(LARGE, VIEW), factor, { x: 0, y: 0 }, frame).scale).toBeCloseTo(scale);
  });
});

test('a graph that is moved far away stays in the view with its edge', () => {
  const frame = { graph: SMALL, view: VIEW };
  const start = { scale: 1, x: 0, y: 0 };
  expect(panBy(start, { x: -10_000, y: 10_000 }, frame)).toEqual({ scale: 1, x: -140, y: 340 });
  expect(panBy(start, { x: 30, y: 20 }, frame)).toEqual({ scale: 1, x: 30, y: 20 });
});

describe('to show a node', () => {
  const box = { x: 1000, y: 10, width: 100, height: 28 };

  test('the view moves as little as it must', () => {
    const shown = reveal({ scale: 1, x: 0, y: 0 }, box, VIEW);
    expect(shown).toEqual({ scale: 1, x: -312, y: 2 });
  });

  test('the view stays the same object if the node is in it', () => {
    const viewport = { scale: 1, x: -500, y: 100 };
    expect(reveal(viewport, box, VIEW)).toBe(viewport);
  });

  test('the view shows its beginning if the node is larger than the view', () => {
    expect(reveal({ scale: 10, x: 0, y: 0 }, box, VIEW).x).toBe(12 - 10_000);
  });
});

test('a point of the graph can be put in the middle', () => {
  const centred = centreOn({ scale: 0.5, x: 0, y: 0 }, { x: 4000, y: 250 }, { graph: LARGE, view: VIEW });
  expect(pointInView({ x: 4000, y: 250 }, centred)).toEqual({ x: 400, y: 200 });
});
