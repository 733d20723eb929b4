import { createHash } from 'node:crypto';
import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { writeLayoutDot } from '#domain/graph/write-dot.ts';
import type { DrawingRefusal } from './process.ts';

/**
 * Larger graphs are refused, because Graphviz takes more than four times as long for twice the nodes and
 * edges.
 */
const MAX_NODES = 3000;
const MAX_EDGES = 10_000;
/** Limit of the nodes and edges of all cached layouts together, which take about 30 MB. */
const MAX_CACHED_ELEMENTS = 50_000;
/** The same limit for previews: it allows one graph of the largest size, or many of the usual size. */
const MAX_PREVIEW_ELEMENTS = MAX_NODES + MAX_EDGES;

export type LayoutResult = { layout: Layout } | { refused: DrawingRefusal };

type FindLayout = (graph: Graph) => Promise<LayoutResult>;

export interface Layouts {
  find: FindLayout;
  /**
   * Finds the layout of a pipeline text that is not saved. Previews have a cache of their own, so that they
   * do not evict layouts of saved pipelines.
   */
  findPreview: FindLayout;
}

type ComputeLayout = (graph: Graph, dot: string) => Promise<LayoutResult>;

interface CachedLayout {
  /** Nodes and edges of the graph. */
  elements: number;
  result: Promise<LayoutResult>;
}

export function createLayouts(computeLayout: ComputeLayout): Layouts {
  return {
    find: cacheLayouts(computeLayout, MAX_CACHED_ELEMENTS),
    findPreview: cacheLayouts(computeLayout, MAX_PREVIEW_ELEMENTS),
  };
}

/** A least-recently-used cache of layouts. Concurrent requests for the same graph share one computation. */
function cacheLayouts(computeLayout: ComputeLayout, maxElements: number): FindLayout {
  const cache = new Map<string, CachedLayout>();
  /**
   * DOT text and cache key by graph. Callers pass the same object for the same graph, so both are computed
   * once.
   */
  const texts = new WeakMap<Graph, { key: string; dot: string }>();
  let totalElements = 0;
  const evict = (key: string): void => {
    totalElements -= cache.get(key)?.elements ?? 0;
    cache.delete(key);
  };
  const compute = async (key: string, graph: Graph, dot: string): Promise<LayoutResult> => {
    let result: LayoutResult | undefined;
    try {
      result = await computeLayout(graph, dot);
      return result;
    } finally {
      if (!result || 'refused' in result) evict(key);
    }
  };
  return async (graph) => {
    const { nodes, edges } = graph;
    if (nodes.length > MAX_NODES || edges.length > MAX_EDGES) return { refused: tooLarge(graph) };
    const { key, dot } = texts.get(graph) ?? dotWithKey(graph);
    texts.set(graph, { key, dot });
    const elements = nodes.length + edges.length;
    const cached = cache.get(key) ?? { elements, result: compute(key, graph, dot) };
    if (!cache.has(key)) totalElements += elements;
    cache.delete(key);
    cache.set(key, cached);
    for (const oldest of cache.keys()) if (totalElements > maxElements && oldest !== key) evict(oldest);
    return cached.result;
  };
}

function dotWithKey(graph: Graph): { key: string; dot: string } {
  const dot = writeLayoutDot(graph);
  return { key: createHash('sha256').update(dot).digest('base64'), dot };
}

function tooLarge({ nodes, edges }: Graph): DrawingRefusal {
  const size = `${nodes.length} nodes and ${edges.length} edges`;
  const limit = `at most ${MAX_NODES} and ${MAX_EDGES} are drawn`;
  const message = `the graph has ${size}; ${limit}: hide intermediate resources or group parallel jobs`;
  return { reason: 'too-large', message };
}
