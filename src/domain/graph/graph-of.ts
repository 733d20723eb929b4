import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { actionsOf, getsOf, hookActionsOf } from '#domain/pipeline/steps.ts';
import {
  entryId,
  jobId,
  mergeGraph,
  outputId,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type ResourceNode,
} from './graph.ts';
import { groupParallel } from './group-parallel.ts';
import { hideIntermediates } from './hide-intermediates.ts';

export interface GraphOptions {
  /** Draws edges directly from job to job, and removes all resources except those that trigger a job. */
  hideIntermediates?: boolean;
  /** Merges jobs whose edges come from the same nodes into one compact node. */
  groupParallel?: boolean;
}

/** The graph of a pipeline, without resources that no job gets or puts. */
export function graphOf(pipeline: Pipeline, options: GraphOptions = {}): Graph {
  const full = fullGraph(pipeline);
  const shown = options.hideIntermediates === true ? hideIntermediates(full) : full;
  return options.groupParallel === true ? groupParallel(shown) : shown;
}

function fullGraph(pipeline: Pipeline): Graph {
  const puts = new Map(pipeline.jobs.map((job) => [job.name, putsOf(job)]));
  const graphs = pipeline.jobs.map((job) => graphOfJob(job, puts));
  return mergeGraph(
    graphs.flatMap(({ nodes }) => nodes),
    graphs.flatMap(({ edges }) => edges),
  );
}

/**
 * The graph of one job: the job, the resources that it gets, and the resources that it puts. `puts`: by the
 * name of each job, the resources that it puts.
 */
function graphOfJob(job: Job, puts: ReadonlyMap<string, ReadonlySet<string>>): Graph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  // Adds the node for versions of the resource after the upstream job, and the edge to it.
  const addOutput = (upstream: string, resource: string): ResourceNode => {
    const role = puts.get(upstream)?.has(resource) === true ? 'put' : 'passed';
    const node: ResourceNode = {
      kind: 'resource',
      id: outputId(upstream, resource),
      resource,
      role,
      after: [upstream],
    };
    nodes.push(node);
    edges.push({ from: jobId(upstream), to: node.id, kind: 'make' });
    return node;
  };
  for (const { resource, passed, trigger } of getsOf(job.steps)) {
    const kind = trigger ? 'trigger' : 'take';
    const sources = passed.map((upstream) => addOutput(upstream, resource).id);
    if (passed.length === 0) {
      nodes.push({ kind: 'resource', id: entryId(resource), resource, role: 'entry', after: [] });
      sources.push(entryId(resource));
    }
    edges.push(...sources.map((from): GraphEdge => ({ from, to: jobId(job.name), kind })));
  }
  nodes.push({ kind: 'job', id: jobId(job.name), jobs: [job.name] });
  for (const resource of puts.get(job.name) ?? []) addOutput(job.name, resource);
  return { nodes, edges };
}

/** Resources that the steps or hooks of a job put. */
function putsOf(job: Job): Set<string> {
  const actions = [...actionsOf(job.steps), ...hookActionsOf(job)];
  return new Set(actions.flatMap((action) => (action.kind === 'put' ? [action.resource] : [])));
}
