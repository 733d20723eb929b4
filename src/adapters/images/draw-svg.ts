import type { Graph, GraphEdge, GraphNode } from '#domain/graph/graph.ts';
import { PINNED_BORDER, TONES, type NodeLook, type Tone } from '#domain/graph/look.ts';
import { LETTERS, visible } from '#domain/graph/measure-label.ts';
import { EDGE } from '#domain/graph/write-dot.ts';
import { tilePath, tilesOf, type Tile } from './drawing.ts';
import type { EdgePaths, Layout } from './layout.ts';
import { round } from './points.ts';

export interface Picture {
  graph: Graph;
  layout: Layout;
  looks: ReadonlyMap<string, NodeLook>;
  /** Of the pipeline. */
  name: string;
}

/** Most jobs whose state the description tells. */
const MOST_TOLD = 50;
export const FONTS = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif";

/**
 * An SVG picture that stands alone: no scripts, links, images or fonts from elsewhere. Colours are
 * attributes, so that it is right where styles are not allowed; the style sheet only darkens what is light
 * when the reader's screen is dark.
 */
export function drawSvg({ graph, layout, looks, name }: Picture): string {
  const { width, height } = layout;
  const nodes = graph.nodes.map((node, index) => nodeGroup(node, index, { layout, looks }));
  const drawn = graph.edges.map((edge, index) => ({
    edge,
    group: edgeGroup(edge, layout.edges[index], looks),
  }));
  const { nodeEdges = [], rowEdges = [] } = Object.groupBy(drawn, ({ edge }) =>
    isOfRow(edge) ? 'rowEdges' : 'nodeEdges',
  );
  const edges = (some: typeof drawn): string[] => [
    `<g fill="none" stroke="${EDGE}" class="edges">`,
    ...some.map(({ group }) => group),
    '</g>',
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(`Pipeline ${name}`)}" font-family="${FONTS}" font-size="${LETTERS}">`,
    `<title>${escapeXml(`Pipeline ${name}`)}</title>`,
    `<desc>${escapeXml(describe(graph, looks))}</desc>`,
    STYLE,
    ...edges(nodeEdges),
    `<g text-anchor="middle">`,
    ...nodes,
    '</g>',
    ...(rowEdges.length === 0 ? [] : edges(rowEdges)),
    '</svg>',
    '',
  ].join('\n');
}

/** Fill, border and letters of the light tones where the screen is dark; the others are right on both. */
const DARK: Partial<Record<Tone, readonly [fill: string, border: string]>> = {
  resource: ['#22272e', '#909dab'],
  failing: ['#22272e', '#ff8182'],
  idle: ['#444c56', '#909dab'],
};
const DARK_RULES = Object.entries(DARK).map(
  ([tone, [fill, border]]) => `.${tone} path{fill:${fill};stroke:${border}}.${tone} text{fill:#e6edf3}`,
);
const STYLE = `<style>@media (prefers-color-scheme:dark){${DARK_RULES.join('')}.dashed path{stroke:#e6edf3}.pinned path{stroke:${PINNED_BORDER}}}</style>`;

function nodeGroup(
  node: GraphNode,
  index: number,
  { layout, looks }: Pick<Picture, 'layout' | 'looks'>,
): string {
  const look = looks.get(node.id);
  const centre = layout.nodes[index];
  if (!look || !centre) return '';
  const tiles = tilesOf(node, look, centre).map(tileGroup).join('');
  return `<g id="n${index}" class="${node.kind}-node"${look.faded ? ' opacity="0.35"' : ''}>${tiles}</g>`;
}

function tileGroup(tile: Tile): string {
  const { tone, dashed, pinned, title, label } = tile;
  const { fill, border, ink } = TONES[tone];
  const stroke = pinned ? PINNED_BORDER : border;
  const thickness = strokeOf(tile);
  const text = label
    ? `<text x="${round(label.x)}" y="${round(label.baseline)}" fill="${ink}">${escapeXml(label.text)}</text>`
    : '';
  return `<g class="${tone}${dashed ? ' dashed' : ''}${pinned ? ' pinned' : ''}"><title>${escapeXml(title)}</title><path d="${tilePath(tile)}" fill="${fill}" stroke="${stroke}"${thickness === 1 ? '' : ` stroke-width="${thickness}"`}${dashed ? ' stroke-dasharray="5 3"' : ''}/>${text}</g>`;
}

export const strokeOf = ({ dashed, pinned }: Pick<Tile, 'dashed' | 'pinned'>): number => {
  if (pinned) return 3;
  return dashed ? 2 : 1;
};

/** Such an edge crosses the margin of its compact node, and so lies above it. */
export const isOfRow = ({ fromRow, toRow }: GraphEdge): boolean =>
  fromRow !== undefined || toRow !== undefined;

function edgeGroup(
  { from, to, kind }: GraphEdge,
  curve: EdgePaths | undefined,
  looks: ReadonlyMap<string, NodeLook>,
): string {
  if (!curve) return '';
  const faded = isFaded(from, to, looks) ? ' opacity="0.35"' : '';
  const dash = kind === 'take' ? ' stroke-dasharray="4 3"' : '';
  return `<g${faded}><path d="${curve.line}"${dash}/><path d="${curve.arrow}" fill="${EDGE}" stroke="none"/></g>`;
}

export const isFaded = (from: string, to: string, looks: ReadonlyMap<string, NodeLook>): boolean =>
  looks.get(from)?.faded === true || looks.get(to)?.faded === true;

function describe({ nodes }: Graph, looks: ReadonlyMap<string, NodeLook>): string {
  const jobs = nodes.flatMap((node) => {
    const look = looks.get(node.id);
    if (node.kind !== 'job' || !look) return [];
    return look.rows.length === 0 ? [look.title] : look.rows.map(({ title }) => title);
  });
  const more = jobs.length > MOST_TOLD ? [`and ${jobs.length - MOST_TOLD} more`] : [];
  return `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}. ${[...jobs.slice(0, MOST_TOLD), ...more].join('; ')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for values of attributes; what XML does not allow is replaced. */
export function escapeXml(text: string): string {
  if (/^[\w .,:;()-]*$/.test(text)) return text;
  return visible(text).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
