import { boxOf, ROW_HEIGHT } from './box.ts';
import { connectedComponents } from './connected-components.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { FONT_SIZE, replaceInvisible } from './measure-label.ts';
import { PINNED_BORDER, TONES, type NodeStyle } from './node-style.ts';

/** The colour of edges, which is visible on white and on black. */
export const EDGE_COLOUR = '#7d8590';
/** The alpha channel of faded colours, as two hexadecimal digits. */
const FADED_ALPHA = '66';

const SPACING = 'rankdir=LR, nodesep=0.2, ranksep=0.45';

/**
 * The graph in the DOT language of Graphviz. `name`: name of the graph. Every name is quoted, and there are
 * no URLs, images or HTML labels.
 */
export function writeDot(graph: Graph, name: string, styles: ReadonlyMap<string, NodeStyle>): string {
  const lines = [
    `digraph ${quote(name)} {`,
    `  graph [${SPACING}, bgcolor="transparent", pad=0.1];`,
    `  node [shape=box, fixedsize=true, fontname="DejaVu Sans", fontsize=${FONT_SIZE}];`,
    `  edge [color="${EDGE_COLOUR}", arrowsize=0.6];`,
    '',
    ...bottomUp(graph).map((node) => nodeLine(node, styles.get(node.id))),
    '',
    ...graph.edges.map((edge) => edgeLine(edge, styles)),
    '}',
    '',
  ];
  return lines.join('\n');
}

/**
 * The graph in DOT, reduced to what the layout depends on: the sizes of the nodes, and the edges. Nodes have
 * numbers instead of names, so equal texts have equal layouts and no name reaches the layout engine.
 */
export function writeLayoutDot(graph: Graph): string {
  const { nodes, edges } = graph;
  const numbers = new Map(nodes.map(({ id }, index) => [id, index]));
  const sizes = bottomUp(graph).map((node) => `${numbers.get(node.id)} [${sizeOf(node)}]`);
  return [
    `digraph {graph [${SPACING}] node [shape=box, fixedsize=true, label=""] edge [arrowhead=none]`,
    ...sizes,
    ...edges.map((edge) => layoutEnds(edge, numbers).join(' -> ')),
    '}',
  ].join('\n');
}

/**
 * The two ends of an edge in the text of `writeLayoutDot`: the number of the node and, for a row, its port
 * and side.
 */
export function layoutEnds(
  { from, fromRow, to, toRow }: GraphEdge,
  numbers: ReadonlyMap<string, number>,
): [tail: string, head: string] {
  const tail = fromRow === undefined ? '' : `${portOf(fromRow)}:e`;
  const head = toRow === undefined ? '' : `${portOf(toRow)}:w`;
  return [`${numbers.get(from)}${tail}`, `${numbers.get(to)}${head}`];
}

/**
 * The size of a node in the text of `writeLayoutDot`. Graphviz divides the height of a record evenly among
 * its ports. So the height of a compact node is only the height of its rows here, without the margin at the
 * border.
 */
function sizeOf(node: GraphNode): string {
  const { labels, width, height } = boxOf(node);
  if (labels.length === 1) return `width=${inches(width)}, height=${inches(height)}`;
  const ports = labels.map((_, row) => `<${row}>`).join('|');
  const size = `width=${inches(width)}, height=${inches(labels.length * ROW_HEIGHT)}`;
  return `shape=record, fontsize=1, label="${ports}", ${size}`;
}

const portOf = (row?: number): string => (row === undefined ? '' : `:${row}`);

/**
 * The nodes of the graph, with the last component first. Graphviz draws components that are not connected
 * from bottom to top, so the first component of the pipeline is written last.
 */
const bottomUp = (graph: Graph): GraphNode[] => connectedComponents(graph).toReversed().flat();

function nodeLine(node: GraphNode, style?: NodeStyle): string {
  const { labels, width, height } = boxOf(node);
  const attributes = [
    ...(labels.length === 1
      ? [`label=${quoteLabel(labels)}`]
      : ['shape=record', `label=${quoteRows(labels)}`]),
    `width=${inches(width)}`,
    `height=${inches(height)}`,
    ...(style ? styleAttributes(node, style) : []),
  ];
  return `  ${quote(node.id)} [${attributes.join(', ')}];`;
}

function styleAttributes(node: GraphNode, { tone, dashed, pinned, faded, title }: NodeStyle): string[] {
  const { fill, border, ink } = TONES[tone];
  const alpha = faded ? FADED_ALPHA : '';
  const styles = ['filled', ...(node.kind === 'job' ? ['rounded'] : []), ...(dashed ? ['dashed'] : [])];
  return [
    `style="${styles.join(',')}"`,
    `fillcolor="${fill}${alpha}"`,
    `color="${pinned ? PINNED_BORDER : border}${alpha}"`,
    ...(pinned || dashed ? [`penwidth=${pinned ? 3 : 2}`] : []),
    `fontcolor="${ink}${alpha}"`,
    `tooltip=${quoteLabel([title])}`,
  ];
}

function edgeLine(
  { from, fromRow, to, toRow, kind }: GraphEdge,
  styles: ReadonlyMap<string, NodeStyle>,
): string {
  const faded = styles.get(from)?.faded === true || styles.get(to)?.faded === true;
  const attributes = [
    ...(kind === 'take' ? ['style="dashed"'] : []),
    ...(fromRow === undefined ? [] : ['dir=both', 'arrowtail=dot']),
    ...(faded ? [`color="${EDGE_COLOUR}${FADED_ALPHA}"`] : []),
  ];
  const suffix = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
  return `  ${quote(from)}${portOf(fromRow)} -> ${quote(to)}${portOf(toRow)}${suffix};`;
}

/** The size in inches, rounded to hundredths. The layout needs no more digits. */
const inches = (points: number): string => (points / 72).toFixed(2);

/**
 * Quotes an id. DOT knows only the escape `\"` in ids. Backslashes are doubled nevertheless, because a single
 * backslash at the end would escape the closing quote.
 */
function quote(text: string): string {
  return `"${replaceInvisible(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Quotes a label or tooltip. In these, a backslash begins an escape, and `&` begins an HTML entity. */
const quoteLabel = (lines: readonly string[]): string => `"${lines.map(escapeLabel).join(String.raw`\n`)}"`;

const escapeLabel = (line: string): string =>
  replaceInvisible(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;');

/** The label of a record: one field with a port for each row. */
function quoteRows(lines: readonly string[]): string {
  const fields = lines.map((line, row) => `<${row}> ${escapeLabel(line).replaceAll(/[{}|<>]/g, '\\$&')}`);
  return `"${fields.join(' | ')}"`;
}
