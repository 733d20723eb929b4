import type { Graph, GraphEdge, GraphNode } from '#domain/graph/graph.ts';
import type { EdgePaths, Layout } from '#domain/graph/layout.ts';
import { FONT_SIZE, replaceInvisible } from '#domain/graph/measure-label.ts';
import { PINNED_BORDER, TONES, type NodeStyle, type Tone } from '#domain/graph/node-style.ts';
import { roundToTenth } from '#domain/graph/points.ts';
import { strokeOf, tilePath, tilesOf, touchesRow, type Tile } from '#domain/graph/tiles.ts';
import { EDGE_COLOUR } from '#domain/graph/write-dot.ts';

export interface Picture {
  graph: Graph;
  layout: Layout;
  styles: ReadonlyMap<string, NodeStyle>;
  /** Name of the pipeline. */
  name: string;
}

/** The most jobs whose state the `desc` element names. */
const MAX_DESCRIBED_JOBS = 50;
export const FONTS = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif";

/**
 * A self-contained SVG: no scripts, links, images or external fonts. Colours are attributes, so the picture
 * also works where style sheets are blocked. Its style sheet only darkens light colours on dark screens.
 */
export function drawSvg({ graph, layout, styles, name }: Picture): string {
  const { width, height } = layout;
  const title = escapeXml(`Pipeline ${name}`);
  const nodes = graph.nodes.map((node, index) => nodeGroup(node, index, { layout, styles }));
  const drawnEdges = graph.edges.map((edge, index) => ({
    edge,
    group: edgeGroup(edge, layout.edges[index], styles),
  }));
  const { nodeEdges = [], rowEdges = [] } = Object.groupBy(drawnEdges, ({ edge }) =>
    touchesRow(edge) ? 'rowEdges' : 'nodeEdges',
  );
  const edgeLayer = (edgesOfLayer: typeof drawnEdges): string[] => [
    `<g fill="none" stroke="${EDGE_COLOUR}" class="edges">`,
    ...edgesOfLayer.map(({ group }) => group),
    '</g>',
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
      ` role="img" aria-label="${title}" font-family="${FONTS}" font-size="${FONT_SIZE}">`,
    `<title>${title}</title>`,
    `<desc>${escapeXml(describe(graph, styles))}</desc>`,
    STYLE,
    ...edgeLayer(nodeEdges),
    `<g text-anchor="middle">`,
    ...nodes,
    '</g>',
    ...(rowEdges.length === 0 ? [] : edgeLayer(rowEdges)),
    '</svg>',
    '',
  ].join('\n');
}

/** Fill and border of light tones on dark screens. The other tones suit light and dark screens. */
const DARK: Partial<Record<Tone, readonly [fill: string, border: string]>> = {
  resource: ['#22272e', '#909dab'],
  failing: ['#22272e', '#ff8182'],
  idle: ['#444c56', '#909dab'],
};
const DARK_RULES = Object.entries(DARK).map(
  ([tone, [fill, border]]) => `.${tone} path{fill:${fill};stroke:${border}}.${tone} text{fill:#e6edf3}`,
);
const STYLE =
  `<style>@media (prefers-color-scheme:dark){${DARK_RULES.join('')}` +
  `.dashed path{stroke:#e6edf3}.pinned path{stroke:${PINNED_BORDER}}}</style>`;

function nodeGroup(
  node: GraphNode,
  index: number,
  { layout, styles }: Pick<Picture, 'layout' | 'styles'>,
): string {
  const style = styles.get(node.id);
  const centre = layout.nodes[index];
  if (!style || !centre) return '';
  const tiles = tilesOf(node, style, centre).map(tileGroup).join('');
  return `<g id="n${index}" class="${node.kind}-node"${style.faded ? ' opacity="0.35"' : ''}>${tiles}</g>`;
}

function tileGroup(tile: Tile): string {
  const { tone, dashed, pinned, title, label } = tile;
  const { fill, border, ink } = TONES[tone];
  const stroke = pinned ? PINNED_BORDER : border;
  const thickness = strokeOf(tile);
  const text = label ? labelText(label, ink) : '';
  const strokeWidth = thickness === 1 ? '' : ` stroke-width="${thickness}"`;
  const dashes = dashed ? ' stroke-dasharray="5 3"' : '';
  const path = `<path d="${tilePath(tile)}" fill="${fill}" stroke="${stroke}"${strokeWidth}${dashes}/>`;
  const classes = `${tone}${dashed ? ' dashed' : ''}${pinned ? ' pinned' : ''}`;
  return `<g class="${classes}"><title>${escapeXml(title)}</title>${path}${text}</g>`;
}

function labelText({ text, x, baseline }: NonNullable<Tile['label']>, colour: string): string {
  return `<text x="${roundToTenth(x)}" y="${roundToTenth(baseline)}" fill="${colour}">${escapeXml(text)}</text>`;
}

function edgeGroup(
  { from, to, kind }: GraphEdge,
  curve: EdgePaths | undefined,
  styles: ReadonlyMap<string, NodeStyle>,
): string {
  if (!curve) return '';
  const faded = isFaded(from, to, styles) ? ' opacity="0.35"' : '';
  const dash = kind === 'take' ? ' stroke-dasharray="4 3"' : '';
  const arrow = `<path d="${curve.arrow}" fill="${EDGE_COLOUR}" stroke="none"/>`;
  return `<g${faded}><path d="${curve.line}"${dash}/>${arrow}</g>`;
}

export const isFaded = (from: string, to: string, styles: ReadonlyMap<string, NodeStyle>): boolean =>
  styles.get(from)?.faded === true || styles.get(to)?.faded === true;

function describe({ nodes }: Graph, styles: ReadonlyMap<string, NodeStyle>): string {
  const jobs = nodes.flatMap((node) => {
    const style = styles.get(node.id);
    if (node.kind !== 'job' || !style) return [];
    return style.rows.length === 0 ? [style.title] : style.rows.map(({ title }) => title);
  });
  const more = jobs.length > MAX_DESCRIBED_JOBS ? [`and ${jobs.length - MAX_DESCRIBED_JOBS} more`] : [];
  const described = [...jobs.slice(0, MAX_DESCRIBED_JOBS), ...more].join('; ');
  return `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}. ${described}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and attributes, and replaces characters that XML forbids. */
export function escapeXml(text: string): string {
  if (/^[\w .,:;()-]*$/.test(text)) return text;
  return replaceInvisible(text).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
