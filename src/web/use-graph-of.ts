import { useEffect, useRef, useState } from 'preact/hooks';
import { switchesOf, type GraphQuery } from './graph-query.ts';
import type { LaidOutGraph } from './graph/laid-out-graph.ts';
import { structureOf, type PipelineEventData } from './graph/pipeline-state.ts';
import { fetchGraph } from './pipeline-requests.ts';
import { problemWords } from './problem-words.ts';

interface GraphToShow {
  pipeline: string;
  query: GraphQuery;
  state: PipelineEventData;
  /** The graph when the page was opened, or why there was none. */
  first: LaidOutGraph | string;
}

/**
 * The graph with the switches of the query, or why there is none. When the switches or the definition change,
 * fetches the graph again and keeps the earlier one until the new one arrives.
 */
export function useGraphOf({ pipeline, query, state, first }: GraphToShow): LaidOutGraph | string {
  const [graph, setGraph] = useState(first);
  const key = `${switchesOf(query)} ${structureOf(state)}`;
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return undefined;
    shown.current = key;
    let isWanted = true;
    const show = (fetched: LaidOutGraph | string): void => {
      if (isWanted) setGraph(fetched);
    };
    void fetchGraph(pipeline, query).then(show, (error: unknown) => show(problemWords(error)));
    return () => {
      isWanted = false;
    };
  }, [pipeline, key]);
  return graph;
}
