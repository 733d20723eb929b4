import type { JSX } from 'preact';
import { PINNED_BORDER, TONES, type Tone } from '#domain/graph/node-style.ts';

const TONE_WORDS: readonly [tone: Tone, words: string][] = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['warning', 'failed, and counts as good'],
  ['cancelled', 'cancelled'],
  ['waiting', 'waits for approval'],
  ['paused', 'paused'],
  ['idle', 'has not run yet'],
];

/** Explains the colours, borders and lines of the graph. */
export function GraphLegend(): JSX.Element {
  return (
    <details class="graph-legend graph-over">
      <summary>Legend</summary>
      <ul>
        {TONE_WORDS.map(([tone, words]) => (
          <li key={tone}>
            <Swatch tone={tone} /> {words}
          </li>
        ))}
        <li>
          <Swatch tone="idle" dashed /> a build is pending; the border pulses while one runs
        </li>
        <li>
          <Swatch tone="resource" /> resource
        </li>
        <li>
          <Swatch tone="resource" pinned /> pinned resource
        </li>
        <li>
          <Swatch tone="failing" /> the last check failed
        </li>
        <li>
          <Line /> a new version starts the job
        </li>
        <li>
          <Line dashed /> the job takes the newest version, but does not start by itself
        </li>
      </ul>
    </details>
  );
}

interface SwatchProps {
  tone: Tone;
  dashed?: boolean;
  pinned?: boolean;
}

function Swatch({ tone, dashed = false, pinned = false }: SwatchProps): JSX.Element {
  const { fill, border } = TONES[tone];
  return (
    <svg width="28" height="16" aria-hidden="true">
      <rect
        class={`graph-tile graph-tone-${tone}${dashed ? ' graph-dashed' : ''}${pinned ? ' graph-pinned' : ''}`}
        x="2"
        y="2"
        width="24"
        height="12"
        rx={tone === 'resource' || tone === 'failing' ? 1 : 4}
        fill={fill}
        stroke={pinned ? PINNED_BORDER : border}
        stroke-width={pinned ? 3 : 1.5}
        stroke-dasharray={dashed ? '4 2' : undefined}
      />
    </svg>
  );
}

function Line({ dashed = false }: { dashed?: boolean }): JSX.Element {
  return (
    <svg class="graph-edges" width="28" height="16" aria-hidden="true">
      <path d="M1,8H20" stroke-dasharray={dashed ? '4 3' : undefined} />
      <path class="graph-arrow" d="M27,8L20,5L20,11z" />
    </svg>
  );
}
