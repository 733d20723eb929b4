import { requestApi } from './api.ts';
import { switchesOf, type GraphQuery } from './graph-query.ts';
import type { LaidOutGraph } from './graph/laid-out-graph.ts';
import type { PathInGraph, BuildOnPath } from './graph/path-in-graph.ts';
import type { PipelineEventData } from './graph/pipeline-state.ts';

/** A version of a resource, newest first in lists. */
export interface ListedVersion {
  id: number;
  version: Record<string, string>;
}

export const fetchGraph = async (pipeline: string, query: GraphQuery): Promise<LaidOutGraph> =>
  await requestApi<LaidOutGraph>('GET', `${pipeline}/graph${switchesOf(query)}`);

/** Fetches the state that the event stream also sends, for pages to which the stream sends none in time. */
export async function fetchState(pipeline: string): Promise<PipelineEventData> {
  const [about, jobs, resources] = await Promise.all([
    requestApi<PipelineEventData['pipeline']>('GET', pipeline),
    requestApi<PipelineEventData['jobs']>('GET', `${pipeline}/jobs`),
    requestApi<PipelineEventData['resources']>('GET', `${pipeline}/resources`),
  ]);
  return { pipeline: about, jobs, resources };
}

const resourceUrl = (pipeline: string, resource: string): string =>
  `${pipeline}/resources/${encodeURIComponent(resource)}`;

/** How many versions one answer has at most. */
export const PAGE_LENGTH = 50;

/** Fetches the newest versions, or the versions before the one with the id `before`. */
export async function fetchVersions(
  pipeline: string,
  resource: string,
  before?: number,
): Promise<ListedVersion[]> {
  const cursor = before === undefined ? '' : `&before=${before}`;
  return await requestApi<ListedVersion[]>(
    'GET',
    `${resourceUrl(pipeline, resource)}/versions?limit=${PAGE_LENGTH}${cursor}`,
  );
}

interface VersionPathAnswer {
  resource: { version: Record<string, string> };
  path: { job_name: string; build: PathBuildAnswer | null; retries: PathBuildAnswer[] }[];
}

interface PathBuildAnswer {
  build_number: string;
  status: BuildOnPath['status'];
}

export interface FollowedPath extends PathInGraph {
  version: ListedVersion;
}

export async function fetchVersionPath(
  pipeline: string,
  resource: string,
  id: number,
): Promise<FollowedPath> {
  const url = `${resourceUrl(pipeline, resource)}/versions/${id}/path`;
  const answer = await requestApi<VersionPathAnswer>('GET', url);
  const jobs = answer.path.map(({ job_name, build, retries }): [string, BuildOnPath | undefined] => {
    // If the build was retried, the newest retry counts.
    const newest = retries.at(-1) ?? build;
    return [job_name, newest === null ? undefined : { number: newest.build_number, status: newest.status }];
  });
  return { resource, version: { id, version: answer.resource.version }, jobs: new Map(jobs) };
}
