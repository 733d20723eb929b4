import type { JSX } from 'preact';

interface ZoomProps {
  onZoom: (steps: 1 | -1) => void;
  onFit: () => void;
}

/** Buttons to zoom, for pointers without a wheel. */
export function GraphZoom({ onZoom, onFit }: ZoomProps): JSX.Element {
  return (
    <div class="graph-zoom graph-over" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" onClick={() => onZoom(1)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => onZoom(-1)}>
        −
      </button>
      <button type="button" onClick={onFit}>
        Fit
      </button>
    </div>
  );
}
