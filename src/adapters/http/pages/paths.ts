import { buildUrl } from '#adapters/http/api/jobs.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';

/** The paths of pages. Most pages have the same path as their JSON in the API. */
export const paths = {
  team: (team: string): string => `/teams/${encodeURIComponent(team)}/pipelines`,
  pipeline: ({ team, pipeline }: PipelineName): string =>
    `${paths.team(team)}/${encodeURIComponent(pipeline)}`,
  newPipeline: (team: string): string => `/teams/${encodeURIComponent(team)}/new-pipeline`,
  definition: (name: PipelineName): string => `${paths.pipeline(name)}/definition`,
  job: ({ job, ...name }: JobName): string => `${paths.pipeline(name)}/jobs/${encodeURIComponent(job)}`,
  builds: (name: JobName): string => `${paths.job(name)}/builds`,
  build: (ref: BuildRef): string => buildUrl(ref, ref.number),
  resource: ({ resource, ...name }: ResourceName): string =>
    `${paths.pipeline(name)}/resources/${encodeURIComponent(resource)}`,
  /** The page that shows how far a version got through the jobs. */
  versionPath: (resource: ResourceName, version: number): string =>
    `${paths.resource(resource)}/versions/${version}/path`,
  caches: (name: PipelineName): string => `${paths.pipeline(name)}/caches`,
  triggers: (team: string): string => `/teams/${encodeURIComponent(team)}/triggers`,
  trigger: (team: string, trigger: string): string =>
    `${paths.triggers(team)}/${encodeURIComponent(trigger)}`,
};

type Values = Readonly<Record<string, string | undefined>>;

/** The names in the parameters of a path. A name that the path does not have is empty. */
export function namesFromParams(params: Values): JobName {
  const [team, pipeline, job] = [params['team'] ?? '', params['pipeline'] ?? '', params['job'] ?? ''];
  return { team, pipeline, job };
}

interface Breadcrumb {
  name: string;
  url: string;
}

/**
 * The breadcrumbs of a team, or of something in it. Like all breadcrumbs, they show names, which addresses
 * and commands also use. Only headings show display names.
 */
export function teamBreadcrumbs(team: string): Breadcrumb[] {
  return [
    { name: 'Teams', url: '/teams' },
    { name: team, url: paths.team(team) },
  ];
}

/** The breadcrumbs of a pipeline, or of something in it. */
export function breadcrumbs(
  name: PipelineName & { job?: string },
  within: 'pipeline' | 'job' = 'pipeline',
): Breadcrumb[] {
  const { team, pipeline, job = '' } = name;
  return [
    ...teamBreadcrumbs(team),
    { name: pipeline, url: paths.pipeline(name) },
    ...(within === 'job' ? [{ name: job, url: paths.builds({ team, pipeline, job }) }] : []),
  ];
}

/** The breadcrumbs for the public, without those of teams, which only members can open. */
export function publicBreadcrumbs(
  name: PipelineName & { job?: string },
  within: 'pipeline' | 'job' = 'pipeline',
) {
  return breadcrumbs(name, within).slice(2);
}
