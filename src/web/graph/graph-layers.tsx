import type { JSX } from 'preact';
import { PINNED_BORDER, TONES } from '#domain/graph/node-style.ts';
import { strokeOf, tilePath, touchesRow, type Tile } from '#domain/graph/tiles.ts';
import {
  nameOfItem,
  type GraphFrame,
  type GraphItem,
  type GraphTarget,
  type LaidOutEdge,
} from './laid-out-graph.ts';

/** Returns the address to which a node links, or undefined for a node without a link. */
export type HrefOf = (target: GraphTarget) => string | undefined;

interface LayersProps {
  items: readonly GraphItem[];
  frames: readonly GraphFrame[];
  edges: readonly LaidOutEdge[];
  /** The names of jobs with a running build. */
  running: ReadonlySet<string>;
  hrefOf: HrefOf;
}

/** Edges, frames and nodes. Later elements cover earlier ones. */
export function GraphLayers({ items, frames, edges, running, hrefOf }: LayersProps): JSX.Element {
  const lit = new Set([...items, ...frames].filter(({ faded }) => !faded).map(({ node }) => node));
  const under = edges.filter((edge) => !isOverNodes(edge));
  const over = edges.filter(isOverNodes);
  return (
    <>
      <Edges edges={under} lit={lit} />
      {frames.map(({ node, tile, faded }) => (
        <g key={node} class={`graph-frame${faded ? ' graph-faded' : ''}`} aria-hidden="true">
          <TileShape tile={tile} />
        </g>
      ))}
      {items.map((item) => (
        <Item key={item.key} item={item} href={hrefOf(item.target)} isRunning={isRunning(item, running)} />
      ))}
      <Edges edges={over} lit={lit} />
    </>
  );
}

const isOverNodes = ({ from_row, to_row }: LaidOutEdge): boolean =>
  touchesRow({
    ...(from_row !== undefined && { fromRow: from_row }),
    ...(to_row !== undefined && { toRow: to_row }),
  });

function isRunning({ target }: GraphItem, running: ReadonlySet<string>): boolean {
  if ('job' in target) return running.has(target.job);
  return 'jobs' in target && target.jobs.some((job) => running.has(job));
}

/** Draws edges of the same look as one shape: single elements for thousands of edges take half a second. */
function Edges({ edges, lit }: { edges: readonly LaidOutEdge[]; lit: ReadonlySet<string> }): JSX.Element {
  const alike = Map.groupBy(edges, ({ from, to, kind }) => `${kind}${lit.has(from) && lit.has(to)}`);
  return (
    <g class="graph-edges" aria-hidden="true">
      {[...alike].map(([look, sameEdges]) => (
        <EdgeShapes key={look} edges={sameEdges} lit={lit} />
      ))}
    </g>
  );
}

function EdgeShapes({ edges, lit }: { edges: LaidOutEdge[]; lit: ReadonlySet<string> }): JSX.Element {
  const [first] = edges;
  const isLit = first !== undefined && lit.has(first.from) && lit.has(first.to);
  return (
    <g class={isLit ? undefined : 'graph-faded'}>
      <path
        d={edges.map(({ line }) => line).join('')}
        stroke-dasharray={first?.kind === 'take' ? '4 3' : undefined}
      />
      <path class="graph-arrow" d={edges.map(({ arrow }) => arrow).join('')} />
    </g>
  );
}

interface ItemProps {
  item: GraphItem;
  href: string | undefined;
  isRunning: boolean;
}

function Item({ item, href, isRunning: runs }: ItemProps): JSX.Element {
  const { key, tile, faded } = item;
  const name = nameOfItem(item);
  const classes = `graph-item${faded ? ' graph-faded' : ''}${runs ? ' graph-running' : ''}`;
  const content = (
    <>
      <title>{tile.title}</title>
      <TileShape tile={tile} />
      {tile.label && (
        <text x={tile.label.x} y={tile.label.baseline} fill={TONES[tile.tone].ink}>
          {tile.label.text}
        </text>
      )}
    </>
  );
  // Safari moves the focus to an SVG link only if the link has a tab index.
  return href === undefined ? (
    <g class={classes} role="img" tabIndex={0} aria-label={name} data-key={key}>
      {content}
    </g>
  ) : (
    <a class={classes} href={href} tabIndex={0} aria-label={name} data-key={key}>
      {content}
    </a>
  );
}

function TileShape({ tile }: { tile: Tile }): JSX.Element {
  const { tone, dashed, pinned } = tile;
  const { fill, border } = TONES[tone];
  return (
    <path
      class={`graph-tile graph-tone-${tone}${dashed ? ' graph-dashed' : ''}${pinned ? ' graph-pinned' : ''}`}
      d={tilePath(tile)}
      fill={fill}
      stroke={pinned ? PINNED_BORDER : border}
      stroke-width={strokeOf(tile)}
      stroke-dasharray={dashed ? '5 3' : undefined}
    />
  );
}
