import type { Point } from '#domain/graph/points.ts';

interface PointerActions {
  pan: (by: Point) => void;
  /** Zooms at a point of the window. */
  zoom: (factor: number, at: Point) => void;
}

/** A pointer that moves fewer pixels than this clicks and does not drag. */
const DRAG_PIXELS = 4;

/** By how much to pan and zoom the graph when one or two pointers move from `before` to `after`. */
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
  const sum = points.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 });
  return { x: sum.x / Math.max(1, points.length), y: sum.y / Math.max(1, points.length) };
}

function spreadOf([first, second]: readonly Point[]): number {
  return first === undefined || second === undefined ? 0 : Math.hypot(first.x - second.x, first.y - second.y);
}

/** Drags with one pointer, and pinches with two. Returns a function that stops following the pointers. */
export function followPointers(element: HTMLElement, { pan, zoom }: PointerActions): () => void {
  const pointers = new Map<number, Point>();
  let start: Point = { x: 0, y: 0 };
  let isDragging = false;
  const press = (event: PointerEvent): void => {
    if (event.button !== 0 || isControl(event.target)) return;
    if (pointers.size === 0) {
      start = pointOf(event);
      isDragging = false;
    }
    pointers.set(event.pointerId, pointOf(event));
  };
  const move = (event: PointerEvent): void => {
    if (!pointers.has(event.pointerId)) return;
    const at = pointOf(event);
    if (!isDragging && pointers.size === 1 && Math.hypot(at.x - start.x, at.y - start.y) < DRAG_PIXELS)
      return;
    if (!isDragging) element.setPointerCapture(event.pointerId);
    isDragging = true;
    const before = [...pointers.values()];
    pointers.set(event.pointerId, at);
    const { by, factor, at: middle } = pinch(before, [...pointers.values()]);
    pan(by);
    if (factor !== 1) zoom(factor, middle);
  };
  const release = (event: PointerEvent): void => void pointers.delete(event.pointerId);
  // A drag that ends on a link must not open the link. The Enter key still opens it: the `detail` of its
  // click event is 0.
  const click = (event: MouseEvent): void => {
    if (isDragging && event.detail > 0) event.preventDefault();
    isDragging = false;
  };
  element.addEventListener('pointerdown', press);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', release);
  element.addEventListener('pointercancel', release);
  element.addEventListener('click', click, true);
  element.addEventListener('dragstart', preventDrag);
  return () => {
    element.removeEventListener('pointerdown', press);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', release);
    element.removeEventListener('pointercancel', release);
    element.removeEventListener('click', click, true);
    element.removeEventListener('dragstart', preventDrag);
  };
}

const pointOf = ({ clientX, clientY }: PointerEvent): Point => ({ x: clientX, y: clientY });

/** Keeps the browser from dragging links. */
const preventDrag = (event: Event): void => event.preventDefault();

/** The buttons and the minimap over the graph handle pointers themselves. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.graph-over') !== null;
