import { createHash } from 'node:crypto';
import type { Graph } from '#domain/graph/graph.ts';
import { writeLayoutDot } from '#domain/graph/write-dot.ts';
import type { Layout } from './layout.ts';
import type { Refusal } from './process.ts';

/** Graphviz takes more than four times as long for twice the graph. */
const MOST_NODES = 3000;
const MOST_EDGES = 10_000;
/** Nodes and edges of all layouts that are kept: some 30 MB. */
const MOST_KEPT = 50_000;

export type FoundLayout = { layout: Layout } | { refused: Refusal };

export interface Layouts {
  find(graph: Graph): Promise<FoundLayout>;
}

interface Kept {
  size: number;
  found: Promise<FoundLayout>;
}

/**
 * Asks once for each distinct graph, however many want it at the same time, and forgets those that were not
 * wanted for longest.
 */
export function createLayouts(lay: (graph: Graph, dot: string) => Promise<FoundLayout>): Layouts {
  const kept = new Map<string, Kept>();
  /** Graphs that are at hand are the same objects each time. */
  const texts = new WeakMap<Graph, { key: string; dot: string }>();
  let total = 0;
  const forget = (key: string): void => {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  const ask = async (key: string, graph: Graph, dot: string): Promise<FoundLayout> => {
    let found: FoundLayout | undefined;
    try {
      found = await lay(graph, dot);
      return found;
    } finally {
      if (!found || 'refused' in found) forget(key);
    }
  };
  return {
    async find(graph) {
      const { nodes, edges } = graph;
      if (nodes.length > MOST_NODES || edges.length > MOST_EDGES) return { refused: tooLarge(graph) };
      const { key, dot } = texts.get(graph) ?? describe(graph);
      texts.set(graph, { key, dot });
      const known = kept.get(key) ?? { size: nodes.length + edges.length, found: ask(key, graph, dot) };
      total += kept.has(key) ? 0 : known.size;
      kept.delete(key);
      kept.set(key, known);
      for (const oldest of kept.keys()) if (total > MOST_KEPT && oldest !== key) forget(oldest);
      return known.found;
    },
  };
}

function describe(graph: Graph): { key: string; dot: string } {
  const dot = writeLayoutDot(graph);
  return { key: createHash('sha256').update(dot).digest('base64'), dot };
}

function tooLarge({ nodes, edges }: Graph): Refusal {
  const message = `the graph has ${nodes.length} nodes and ${edges.length} edges; at most ${MOST_NODES} and ${MOST_EDGES} are drawn: hide intermediate resources or group parallel jobs`;
  return { reason: 'too-large', message };
}
