import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { nodeStyles } from '#domain/graph/node-style.ts';
import type { Point } from '#domain/graph/points.ts';
import type { GraphState } from '#domain/graph/state.ts';
import { GraphLayers, type HrefOf } from './graph-layers.tsx';
import { GraphLegend } from './graph-legend.tsx';
import { GraphMinimap } from './graph-minimap.tsx';
import { GraphZoom } from './graph-zoom.tsx';
import { actionOfKey, type KeyAction } from './keys.ts';
import { itemsOf, type GraphItem, type LaidOutGraph } from './laid-out-graph.ts';
import { neighbourOf, type Direction } from './neighbours.ts';
import { stylesOfPath, type PathInGraph } from './path-in-graph.ts';
import { useViewport } from './use-viewport.ts';
import { centreOn, exceedsView, panBy, reveal, zoomAt, type ViewFrame, type Viewport } from './viewport.ts';

interface PipelineGraphProps {
  graph: LaidOutGraph;
  state: GraphState;
  /** The path of a version, which the graph shows instead of the states. */
  path?: PathInGraph | undefined;
  /** The addresses to which nodes link. */
  hrefOf: HrefOf;
  /** The name of the graph for screen readers. */
  label: string;
}

const ZOOM_STEP = 1.3;
const PAN_STEP_PIXELS = 80;

/**
 * The graph of a pipeline, with its states or the path of a version. It fills the element that contains it.
 */
export function PipelineGraph({ graph, state, path, hrefOf, label }: PipelineGraphProps): JSX.Element {
  const { viewport, frame, isMeasured, element, changeViewport, fitAll } = useViewport(graph);
  const { items, layers } = useLayers(graph, state, path, hrefOf);
  const act = (action: KeyAction): void => {
    if ('to' in action) moveFocus(items, graph, action.to);
    else if ('fit' in action) fitAll();
    else if ('zoom' in action) {
      const factor = ZOOM_STEP ** action.zoom;
      changeViewport((current, currentFrame) =>
        zoomAt(current, factor, pointOfInterest(items, current, currentFrame), currentFrame),
      );
    } else {
      const { x, y } = action.pan;
      changeViewport((current, currentFrame) =>
        panBy(current, { x: x * PAN_STEP_PIXELS, y: y * PAN_STEP_PIXELS }, currentFrame),
      );
    }
  };
  const press = (event: KeyboardEvent): void => {
    const action = actionOfKey(event);
    if (action === undefined) return;
    event.preventDefault();
    act(action);
  };
  const showFocus = (): void => {
    const item = focusedItem(items);
    if (item !== undefined) changeViewport((current, { view }) => reveal(current, item.tile, view));
  };
  const go = (at: Point): void =>
    changeViewport((current, currentFrame) => centreOn(current, at, currentFrame));
  const { x, y, scale } = viewport;
  return (
    <div class="graph-view" ref={element} tabIndex={-1} onKeyDown={press} onFocusIn={showFocus}>
      <svg class="graph-canvas" role="group" aria-label={label} aria-describedby="graph-keys">
        {isMeasured && <g transform={`translate(${x} ${y}) scale(${scale})`}>{layers}</g>}
      </svg>
      <p id="graph-keys" class="visually-hidden">
        Arrow keys move between nodes along the edges, Enter opens a node. Plus, minus and 0 zoom.
      </p>
      <GraphZoom onZoom={(steps) => act({ zoom: steps })} onFit={fitAll} />
      <GraphLegend />
      {exceedsView(viewport, frame) && (
        <GraphMinimap items={items} viewport={viewport} frame={frame} onGo={go} />
      )}
    </div>
  );
}

/**
 * Draws the layers only when the graph or its state changes. When the viewer moves the graph, only the
 * transformation of the layers changes.
 */
function useLayers(
  { nodes, edges }: LaidOutGraph,
  state: GraphState,
  path: PathInGraph | undefined,
  hrefOf: HrefOf,
): { items: GraphItem[]; layers: JSX.Element } {
  const { items, frames, running } = useMemo(() => {
    const styles = path === undefined ? nodeStyles({ nodes, edges }, state) : stylesOfPath(nodes, path);
    return { ...itemsOf(nodes, styles), running: runningIn(state, path) };
  }, [nodes, edges, state, path]);
  const layers = useMemo(
    () => <GraphLayers items={items} frames={frames} edges={edges} running={running} hrefOf={hrefOf} />,
    [items, frames, edges, running, hrefOf],
  );
  return { items, layers };
}

function runningIn({ jobs }: GraphState, path: PathInGraph | undefined): Set<string> {
  const states =
    path === undefined
      ? [...jobs].map(([job, { doing }]) => ({ job, doing }))
      : [...path.jobs].map(([job, build]) => ({ job, doing: build?.status }));
  return new Set(states.filter(({ doing }) => doing === 'started').map(({ job }) => job));
}

/** The item that has the focus. */
function focusedItem(items: readonly GraphItem[]): GraphItem | undefined {
  const key = document.activeElement?.getAttribute('data-key');
  return items.find((item) => item.key === key);
}

function moveFocus(items: readonly GraphItem[], { edges }: LaidOutGraph, to: Direction): void {
  const from = focusedItem(items);
  const next = from === undefined ? items[0] : neighbourOf(items, edges, from, to);
  const elements = document.querySelectorAll<SVGElement>('.graph-item');
  for (const element of elements) if (element.dataset['key'] === next?.key) element.focus();
}

/**
 * The point that stays in its place while keys or buttons zoom: the node that has the focus, or the middle of
 * the view.
 */
function pointOfInterest(items: readonly GraphItem[], viewport: Viewport, { view }: ViewFrame): Point {
  const tile = focusedItem(items)?.tile;
  if (tile === undefined) return { x: view.width / 2, y: view.height / 2 };
  return {
    x: viewport.x + (tile.x + tile.width / 2) * viewport.scale,
    y: viewport.y + (tile.y + tile.height / 2) * viewport.scale,
  };
}
