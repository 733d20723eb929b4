import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { TONES } from '#domain/graph/node-style.ts';
import type { Point } from '#domain/graph/points.ts';
import { tilePath } from '#domain/graph/tiles.ts';
import type { GraphItem } from './laid-out-graph.ts';
import { minimapOf, pointInGraph } from './minimap.ts';
import type { ViewFrame, Viewport } from './viewport.ts';

interface MinimapProps {
  items: readonly GraphItem[];
  viewport: Viewport;
  frame: ViewFrame;
  onGo: (at: Point) => void;
}

/**
 * The whole graph in a small size, with a frame around the visible part. It is for pointers; keys move
 * between nodes.
 */
export function GraphMinimap({ items, viewport, frame, onGo }: MinimapProps): JSX.Element {
  const element = useRef<SVGSVGElement>(null);
  const geometry = minimapOf(viewport, frame);
  const { width, height, scale, shown } = geometry;
  const go = ({ clientX, clientY, buttons }: PointerEvent): void => {
    const bounds = element.current?.getBoundingClientRect();
    if (bounds === undefined || buttons === 0) return;
    onGo(pointInGraph({ x: clientX - bounds.left, y: clientY - bounds.top }, geometry));
  };
  const press = (event: PointerEvent): void => {
    element.current?.setPointerCapture(event.pointerId);
    go(event);
  };
  // The tiles are drawn once, because moving the view changes only the rectangle.
  const tiles = useMemo(() => tilesByTone(items), [items]);
  return (
    <svg
      ref={element}
      class="graph-minimap graph-over"
      width={width}
      height={height}
      aria-hidden="true"
      onPointerDown={press}
      onPointerMove={go}
    >
      <g transform={`scale(${scale})`}>
        {tiles.map(({ tone, d }) => (
          <path
            key={tone}
            class={`graph-tile graph-tone-${tone}`}
            fill={TONES[tone].fill}
            stroke={TONES[tone].border}
            stroke-width={0.5 / scale}
            d={d}
          />
        ))}
        <rect class="graph-shown" stroke-width={1.5 / scale} {...shown} />
      </g>
    </svg>
  );
}

/** One shape for all tiles of a tone. */
function tilesByTone(items: readonly GraphItem[]) {
  const byTone = Map.groupBy(items, ({ tile }) => tile.tone);
  return [...byTone].map(([tone, sameToneItems]) => ({
    tone,
    d: sameToneItems.map(({ tile }) => tilePath(tile)).join(''),
  }));
}
