import type { GraphNode, JobNode, ResourceNode } from '#domain/graph/graph.ts';
import { toneOf, worstTone, type NodeStyle, type Style } from '#domain/graph/node-style.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';

/** The build of a job that took the followed version. */
export interface BuildOnPath {
  number: string;
  status: EndedStatus | ActiveStatus;
}

/** The path of a version through the jobs. */
export interface PathInGraph {
  resource: string;
  /**
   * The jobs that the version can reach, each with its build of the version. Undefined: the job has none.
   */
  jobs: ReadonlyMap<string, BuildOnPath | undefined>;
}

/** How many of the jobs that the version can reach have a build of it. */
export function progressOf({ jobs }: PathInGraph): { built: number; all: number } {
  const built = [...jobs.values()].filter((build) => build !== undefined).length;
  return { built, all: jobs.size };
}

/**
 * The style of every node for viewers who follow a version. A job with a build of the version shows that
 * build. Jobs without one fade, and so do the resources that are not on the path.
 */
export function stylesOfPath(nodes: readonly GraphNode[], path: PathInGraph): Map<string, NodeStyle> {
  const putNodes = nodes.filter(
    (node) =>
      node.kind === 'resource' &&
      node.role === 'put' &&
      node.after.some((job) => path.jobs.get(job) !== undefined),
  );
  const resourcesOnPath = new Set([
    path.resource,
    ...putNodes.flatMap((node) => ('resource' in node ? node.resource : [])),
  ]);
  return new Map(
    nodes.map((node) => [
      node.id,
      node.kind === 'job'
        ? styleOfPathJobs(node, path)
        : styleOfPathResource(node, { ...path, resourcesOnPath }),
    ]),
  );
}

interface PathWithResources extends PathInGraph {
  /** The followed resource, and the resources that jobs with a build of the version put. */
  resourcesOnPath: ReadonlySet<string>;
}

function styleOfPathJobs({ jobs }: JobNode, path: PathInGraph): NodeStyle {
  const rows = jobs.map((job) => styleOfPathJob(job, path));
  const [only] = rows;
  if (only !== undefined && rows.length === 1) return { ...only, rows: [] };
  return {
    tone: worstTone(rows.filter(({ faded }) => !faded).map(({ tone }) => tone)),
    dashed: rows.some(({ dashed }) => dashed),
    pinned: false,
    faded: rows.every(({ faded }) => faded),
    title: `${rows.length} jobs: ${rows.map(({ title }) => title).join('; ')}`,
    rows,
  };
}

const WORDS: Record<BuildOnPath['status'], string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  warning: 'failed, and counts as good',
  pending: 'pending',
  waiting: 'waiting for approval',
  started: 'running',
};

function styleOfPathJob(job: string, { jobs }: PathInGraph): Style {
  const build = jobs.get(job);
  if (build === undefined) {
    const title = `${job}: has not built this version`;
    return { tone: 'idle', dashed: false, pinned: false, faded: true, title };
  }
  const { number, status } = build;
  return {
    tone: toneOfBuild(status),
    dashed: status === 'pending' || status === 'started',
    pinned: false,
    faded: false,
    title: `${job}: ${WORDS[status]} with this version in build ${number}`,
  };
}

function toneOfBuild(status: BuildOnPath['status']) {
  if (status === 'pending' || status === 'started') return toneOf({ paused: false });
  if (status === 'waiting') return toneOf({ paused: false, doing: status });
  return toneOf({ paused: false, ended: status });
}

function styleOfPathResource({ resource, role, after }: ResourceNode, path: PathWithResources): NodeStyle {
  const hasBuilt = after.some((job) => path.jobs.get(job) !== undefined);
  const isOnPath = path.resourcesOnPath.has(resource) && (role === 'entry' || hasBuilt);
  const origin = after.length === 0 ? '' : ` after ${after.join(', ')}`;
  const title = `${resource}${origin}`;
  return { tone: 'resource', dashed: false, pinned: false, faded: !isOnPath, title, rows: [] };
}
