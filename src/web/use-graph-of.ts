import { useEffect, useRef, useState } from 'preact/hooks';
import { switchesOf, type GraphQuery } from './graph-query.ts';
import type { LaidOutGraph } from './graph/laid-out-graph.ts';
import { structureOf, type PipelineEventData } from './graph/pipeline-state.ts';
import { fetchGraph } from './pipeline-requests.ts';
import { problemWords } from './problem-words.ts';

interface Wanted {
  pipeline: string;
  query: GraphQuery;
  state: PipelineEventData;
  /** The graph that the page has, or why it has none. */
  first: LaidOutGraph | string;
}

/**
 * The graph in the chosen shape, or why there is none. It is fetched again when the shape or the definition
 * changes; until then the one before stays.
 */
export function useGraphOf({ pipeline, query, state, first }: Wanted): LaidOutGraph | string {
  const [graph, setGraph] = useState(first);
  const key = `${switchesOf(query)} ${structureOf(state)}`;
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return undefined;
    shown.current = key;
    let isWanted = true;
    const show = (found: LaidOutGraph | string): void => {
      if (isWanted) setGraph(found);
    };
    void fetchGraph(pipeline, query).then(show, (error: unknown) => show(problemWords(error)));
    return () => {
      isWanted = false;
    };
  }, [pipeline, key]);
  return graph;
}
