import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Point } from '#domain/graph/points.ts';
import { followPointers } from './pointers.ts';
import { fit, openingView, panBy, zoomAt, type Size, type ViewFrame, type Viewport } from './viewport.ts';

type Change = (viewport: Viewport, frame: ViewFrame) => Viewport;

interface ViewportControl {
  viewport: Viewport;
  frame: ViewFrame;
  /** Whether the size of the view is known. A graph that is drawn before that has to be drawn again. */
  isMeasured: boolean;
  /** The element that shows the graph. The caller sets this ref. */
  element: { current: HTMLDivElement | null };
  changeViewport: (change: Change) => void;
  /** Shows the whole graph, and keeps it whole when the view changes its size. */
  fitAll: () => void;
}

/** How far one turn of the wheel by 100 pixels zooms. */
const WHEEL_ZOOM = 1.25;

const UNMEASURED: Size = { width: 600, height: 300 };

/** Which part of the graph is visible. It follows the pointer, the wheel and the size of the element. */
export function useViewport(graph: Size): ViewportControl {
  const element = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState<Size>();
  const view = measured ?? UNMEASURED;
  const [position, setPosition] = useState<Position>('opening');
  const frame = { graph, view };
  const newestFrame = useRef(frame);
  newestFrame.current = frame;
  const changeViewport = useCallback((change: Change) => {
    setPosition((before) => {
      const shown = viewportOf(before, newestFrame.current);
      const after = change(shown, newestFrame.current);
      return after === shown ? before : after;
    });
  }, []);
  const fitAll = useCallback(() => setPosition('whole'), []);

  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = current;
      setMeasured((before) =>
        before?.width === width && before.height === height ? before : { width, height },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => setPosition('opening'), [graph.width, graph.height]);
  useEffect(() => {
    const { current } = element;
    return current === null ? undefined : followInput(current, changeViewport);
  }, [changeViewport]);
  return {
    viewport: viewportOf(position, frame),
    frame,
    isMeasured: measured !== undefined,
    element,
    changeViewport,
    fitAll,
  };
}

/** Where the viewer has moved the graph, or how its position follows from the size of the view. */
type Position = Viewport | 'opening' | 'whole';

function viewportOf(position: Position, { graph, view }: ViewFrame): Viewport {
  if (position === 'opening') return openingView(graph, view);
  return position === 'whole' ? fit(graph, view) : position;
}

/** Listens to pointers and the wheel. Returns a function that stops listening. */
function followInput(element: HTMLElement, changeViewport: (change: Change) => void): () => void {
  const within = (at: Point): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: at.x - left, y: at.y - top };
  };
  const zoom = (factor: number, at: Point): void =>
    changeViewport((viewport, frame) => zoomAt(viewport, factor, within(at), frame));
  const stopPointers = followPointers(element, {
    pan: (by) => changeViewport((viewport, frame) => panBy(viewport, by, frame)),
    zoom,
  });
  const turn = (event: WheelEvent): void => {
    // The wheel scrolls the page unless the focus is in the graph or a key is held.
    const zoomsGraph = event.ctrlKey || event.metaKey || element.contains(document.activeElement);
    if (!zoomsGraph) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    // Browsers report pinching on a touchpad as small turns of the wheel with the control key.
    const isPinch = event.ctrlKey && Math.abs(pixels) < 30;
    const turns = pixels / (isPinch ? 20 : 100);
    zoom(WHEEL_ZOOM ** -turns, { x: event.clientX, y: event.clientY });
  };
  element.addEventListener('wheel', turn, { passive: false });
  return () => {
    stopPointers();
    element.removeEventListener('wheel', turn);
  };
}
