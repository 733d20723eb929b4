import type { Point } from '#domain/graph/points.ts';

interface PointerActions {
  pan: (by: Point) => void;
  /** At a point of the window. */
  zoom: (factor: number, at: Point) => void;
}

/** Pixels that a pointer moves before it drags; less is a click. */
const DRAG_PIXELS = 4;

/** How two fingers, or one pointer, move the graph. */
export function pinch(
  before: readonly Point[],
  after: readonly Point[],
): { by: Point; factor: number; at: Point } {
  const [from, to] = [middleOf(before), middleOf(after)];
  const spread = spreadOf(before);
  return {
    by: { x: to.x - from.x, y: to.y - from.y },
    factor: spread < 1 ? 1 : spreadOf(after) / spread,
    at: to,
  };
}

function middleOf(points: readonly Point[]): Point {
  const sum = points.reduce((one, other) => ({ x: one.x + other.x, y: one.y + other.y }), { x: 0, y: 0 });
  return { x: sum.x / Math.max(1, points.length), y: sum.y / Math.max(1, points.length) };
}

function spreadOf([one, other]: readonly Point[]): number {
  return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.y - other.y);
}

/** Drags with one pointer, pinches with two. Returns what stops it. */
export function followPointers(element: HTMLElement, { pan, zoom }: PointerActions): () => void {
  const pointers = new Map<number, Point>();
  let start: Point = { x: 0, y: 0 };
  let drags = false;
  const press = (event: PointerEvent): void => {
    if (event.button !== 0 || isControl(event.target)) return;
    if (pointers.size === 0) {
      start = pointOf(event);
      drags = false;
    }
    pointers.set(event.pointerId, pointOf(event));
  };
  const move = (event: PointerEvent): void => {
    if (!pointers.has(event.pointerId)) return;
    const at = pointOf(event);
    if (!drags && pointers.size === 1 && Math.hypot(at.x - start.x, at.y - start.y) < DRAG_PIXELS) return;
    if (!drags) element.setPointerCapture(event.pointerId);
    drags = true;
    const before = [...pointers.values()];
    pointers.set(event.pointerId, at);
    const { by, factor, at: middle } = pinch(before, [...pointers.values()]);
    pan(by);
    if (factor !== 1) zoom(factor, middle);
  };
  const release = (event: PointerEvent): void => void pointers.delete(event.pointerId);
  // A drag that ends on a link must not open it.
  const click = (event: MouseEvent): void => {
    if (drags) event.preventDefault();
    drags = false;
  };
  element.addEventListener('pointerdown', press);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', release);
  element.addEventListener('pointercancel', release);
  element.addEventListener('click', click, true);
  element.addEventListener('dragstart', keep);
  return () => {
    element.removeEventListener('pointerdown', press);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', release);
    element.removeEventListener('pointercancel', release);
    element.removeEventListener('click', click, true);
    element.removeEventListener('dragstart', keep);
  };
}

const pointOf = ({ clientX, clientY }: PointerEvent): Point => ({ x: clientX, y: clientY });

/** Keeps the browser from dragging links. */
const keep = (event: Event): void => event.preventDefault();

/** Buttons and the minimap over the graph have pointers of their own. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.graph-over') !== null;
