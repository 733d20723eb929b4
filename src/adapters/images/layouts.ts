import { createHash } from 'node:crypto';
import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { writeLayoutDot } from '#domain/graph/write-dot.ts';
import type { DrawingRefusal } from './process.ts';

/** Graphviz takes more than four times as long for twice the graph. */
const MAX_NODES = 3000;
const MAX_EDGES = 10_000;
/** Nodes and edges of all cached layouts: about 30 MB. */
const MAX_CACHED_ELEMENTS = 50_000;

export type LayoutResult = { layout: Layout } | { refused: DrawingRefusal };

export interface Layouts {
  find(graph: Graph): Promise<LayoutResult>;
}

interface CachedLayout {
  size: number;
  found: Promise<LayoutResult>;
}

/** A least-recently-used cache of layouts. Concurrent requests for the same graph share one computation. */
export function createLayouts(computeLayout: (graph: Graph, dot: string) => Promise<LayoutResult>): Layouts {
  const cache = new Map<string, CachedLayout>();
  /** Cached graphs are the same objects each time, so their text and hash are computed once. */
  const texts = new WeakMap<Graph, { key: string; dot: string }>();
  let total = 0;
  const evict = (key: string): void => {
    total -= cache.get(key)?.size ?? 0;
    cache.delete(key);
  };
  const compute = async (key: string, graph: Graph, dot: string): Promise<LayoutResult> => {
    let found: LayoutResult | undefined;
    try {
      found = await computeLayout(graph, dot);
      return found;
    } finally {
      if (!found || 'refused' in found) evict(key);
    }
  };
  return {
    async find(graph) {
      const { nodes, edges } = graph;
      if (nodes.length > MAX_NODES || edges.length > MAX_EDGES) return { refused: tooLarge(graph) };
      const { key, dot } = texts.get(graph) ?? describe(graph);
      texts.set(graph, { key, dot });
      const cached = cache.get(key) ?? { size: nodes.length + edges.length, found: compute(key, graph, dot) };
      total += cache.has(key) ? 0 : cached.size;
      cache.delete(key);
      cache.set(key, cached);
      for (const oldest of cache.keys()) if (total > MAX_CACHED_ELEMENTS && oldest !== key) evict(oldest);
      return cached.found;
    },
  };
}

function describe(graph: Graph): { key: string; dot: string } {
  const dot = writeLayoutDot(graph);
  return { key: createHash('sha256').update(dot).digest('base64'), dot };
}

function tooLarge({ nodes, edges }: Graph): DrawingRefusal {
  const size = `${nodes.length} nodes and ${edges.length} edges`;
  const limit = `at most ${MAX_NODES} and ${MAX_EDGES} are drawn`;
  const message = `the graph has ${size}; ${limit}: hide intermediate resources or group parallel jobs`;
  return { reason: 'too-large', message };
}
