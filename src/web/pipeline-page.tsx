/*
 * The live graph of a pipeline. It replaces the picture, shows the current states of jobs and resources, and
 * shows the path of a version. Without this script, the page shows the picture.
 */
import type { JSX } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { parseGraphQuery, writeGraphQuery, type GraphQuery } from './graph-query.ts';
import { GraphTools, PathNote } from './graph-tools.tsx';
import type { GraphTarget, LaidOutGraph } from './graph/laid-out-graph.ts';
import { PipelineGraph } from './graph/pipeline-graph.tsx';
import { graphStateOf, type PipelineEventData } from './graph/pipeline-state.ts';
import { fetchGraph } from './pipeline-requests.ts';
import { findState, usePipelineState } from './pipeline-states.ts';
import { problemWords } from './problem-words.ts';
import { replaceServerContent } from './replace-server-content.ts';
import { useGraphOf } from './use-graph-of.ts';
import { useVersionPath } from './use-version-path.ts';

interface PageProps {
  /** The address of the pipeline. */
  pipeline: string;
  title: string;
  /** Members can follow versions. */
  isMember: boolean;
  firstGraph: LaidOutGraph | string;
  firstState: PipelineEventData;
}

function PipelinePage({ pipeline, title, isMember, firstGraph, firstState }: PageProps): JSX.Element {
  const [query, setQuery] = useState<GraphQuery>(() => parseGraphQuery(location.search));
  const change = useCallback((changed: GraphQuery) => {
    setQuery(changed);
    history.replaceState(
      history.state,
      '',
      `${location.pathname}${writeGraphQuery(location.search, changed)}`,
    );
  }, []);
  const state = usePipelineState(firstState);
  const graph = useGraphOf({ pipeline, query, state, first: firstGraph });
  const { path, versions, older, problem } = useVersionPath({ pipeline, query, state, isMember });
  const shown = useMemo(() => graphStateOf(state), [state]);
  const hrefOf = useHrefs(pipeline, state, path);
  const failure = typeof graph === 'string' ? graph : problem;
  return (
    <>
      <a class="graph-skip" href="#live">
        Skip the graph
      </a>
      <GraphTools
        query={query}
        onChange={change}
        resources={isMember ? state.resources.map(({ name }) => name) : []}
        versions={versions}
        path={path}
        onOlder={older}
      />
      {typeof graph !== 'string' && (
        <PipelineGraph graph={graph} state={shown} path={path} hrefOf={hrefOf} label={`Graph of ${title}`} />
      )}
      {failure !== undefined && (
        <p class="alert" role="alert">
          {failure}
        </p>
      )}
      <PathNote path={path} />
    </>
  );
}

/** A job links to its build of the followed version, or to its newest one. Without builds, to their list. */
function useHrefs(
  pipeline: string,
  { jobs }: PipelineEventData,
  path: ReturnType<typeof useVersionPath>['path'],
) {
  const numbers = useMemo(
    () => new Map(jobs.map(({ name, latest_build_number }) => [name, latest_build_number])),
    [jobs],
  );
  return useCallback(
    (target: GraphTarget): string => {
      if ('resource' in target) return `${pipeline}/resources/${encodeURIComponent(target.resource)}`;
      if ('jobs' in target) return '#jobs';
      const number = path?.jobs.get(target.job)?.number ?? numbers.get(target.job);
      const builds = `${pipeline}/jobs/${encodeURIComponent(target.job)}/builds`;
      return number === undefined ? builds : `${builds}/${number}`;
    },
    [pipeline, numbers, path],
  );
}

async function start(container: HTMLElement): Promise<void> {
  const { pipeline = '', title = '', members } = container.dataset;
  const [firstGraph, firstState] = await Promise.all([
    fetchGraph(pipeline, parseGraphQuery(location.search)).catch(problemWords),
    findState(pipeline),
  ]);
  const isMember = members !== undefined;
  replaceServerContent(
    container,
    <PipelinePage {...{ pipeline, title, isMember, firstGraph, firstState }} />,
  );
}

/** Shows the picture instead of the graph, as the page does without scripts. */
function showPicture(): void {
  document.getElementById('graph')?.classList.add('graph-failed');
}

const graphContainer = document.getElementById('graph');
if (graphContainer !== null) void start(graphContainer).catch(showPicture);
