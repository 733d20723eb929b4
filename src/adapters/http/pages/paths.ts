import { buildUrl } from '#adapters/http/api/jobs.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';

/** Paths are those of the API: a page and its JSON have one address. */
export const paths = {
  team: (team: string): string => `/teams/${encodeURIComponent(team)}/pipelines`,
  pipeline: ({ team, pipeline }: PipelineName): string =>
    `${paths.team(team)}/${encodeURIComponent(pipeline)}`,
  job: ({ job, ...name }: JobName): string => `${paths.pipeline(name)}/jobs/${encodeURIComponent(job)}`,
  builds: (name: JobName): string => `${paths.job(name)}/builds`,
  build: (ref: BuildRef): string => buildUrl(ref, ref.number),
  resource: ({ resource, ...name }: ResourceName): string =>
    `${paths.pipeline(name)}/resources/${encodeURIComponent(resource)}`,
};

type Values = Readonly<Record<string, string | undefined>>;

/** What a path names; its schema has seen to it that all of it is there. */
export function jobFromParams(params: Values): JobName {
  const [team, pipeline, job] = [params['team'] ?? '', params['pipeline'] ?? '', params['job'] ?? ''];
  return { team, pipeline, job };
}

/** The way to a pipeline, or to what is in it. */
export function breadcrumbs(
  name: PipelineName & { job?: string },
  within: 'team' | 'pipeline' | 'job' = 'pipeline',
): { name: string; url: string }[] {
  const { team, pipeline, job = '' } = name;
  return [
    { name: 'Teams', url: '/teams' },
    { name: team, url: paths.team(team) },
    ...(within === 'team' ? [] : [{ name: pipeline, url: paths.pipeline(name) }]),
    ...(within === 'job' ? [{ name: job, url: paths.builds({ team, pipeline, job }) }] : []),
  ];
}

/** The same for strangers, who come to no team. */
export function publicBreadcrumbs(
  name: PipelineName & { job?: string },
  within: 'pipeline' | 'job' = 'pipeline',
) {
  return breadcrumbs(name, within).slice(2);
}
