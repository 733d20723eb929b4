import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { visible } from '#domain/graph/measure-label.ts';
import type { BuildTold, DefinitionTold, JobTold, PipelineTold } from './answers.ts';
import { pathOf, type Api } from './api.ts';
import { connect } from './connect.ts';
import { durationOf, show, statusCell, table, timeOf, visibleLines } from './show.ts';
import type { TeamOptions } from './team-options.ts';

export async function listPipelines(options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const pipelines = await api.get<PipelineTold[]>(pathOf('teams', options.team, 'pipelines'));
  if (pipelines.length === 0) terminal.err(`Team ${options.team} has no pipelines.\n`);
  show(pipelines, options, terminal, asPipelines);
  return EXIT.fine;
}

function asPipelines(pipelines: readonly PipelineTold[], paint: Paint): string {
  if (pipelines.length === 0) return '';
  const heads = ['NAME', 'JOBS', 'RESOURCES', 'REVISION', 'VISIBLE TO', 'STATE', 'DISPLAY NAME'];
  const rows = pipelines.map((one) => [
    one.name,
    String(one.jobs),
    String(one.resources),
    String(one.revision),
    one.public ? 'anyone' : 'the team',
    one.paused ? ({ text: 'paused', style: 'blue' } as const) : '',
    one.display_name ?? '',
  ]);
  return table(heads, rows, paint);
}

/** One pipeline, or its text as it was given. */
export async function getPipeline(
  name: string,
  options: TeamOptions & { config?: boolean },
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = pathOf('teams', options.team, 'pipelines', name);
  if (options.config === true) {
    const definition = await api.get<DefinitionTold>(`${path}/definition`);
    show(definition, options, terminal, ({ config }) => (terminal.isScreen ? visibleLines(config) : config));
    return EXIT.fine;
  }
  show(await api.get<PipelineTold>(path), options, terminal, asPipeline);
  return EXIT.fine;
}

function asPipeline(one: PipelineTold, paint: Paint): string {
  const facts: [string, string][] = [
    ['name', `${one.team}/${one.name}`],
    ['display name', one.display_name ?? ''],
    ['visible to', one.public ? 'anyone' : 'the team'],
    ['paused', one.paused ? 'yes' : 'no'],
    ['revision', String(one.revision)],
    ['jobs', String(one.jobs)],
    ['resources', String(one.resources)],
  ];
  const told = facts.filter(([, value]) => value !== '');
  return `${told.map(([name, value]) => `${paint('bold', `${name}:`.padEnd(14))}${visible(value)}`).join('\n')}\n`;
}

export async function listJobs(pipeline: string, options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const jobs = await api.get<JobTold[]>(`${pathOf('teams', options.team, 'pipelines', pipeline)}/jobs`);
  show(jobs, options, terminal, asJobs);
  return EXIT.fine;
}

function asJobs(jobs: readonly JobTold[], paint: Paint): string {
  const rows = jobs.map((job) => [
    job.name,
    job.latest_build_number ?? 'none yet',
    statusCell(job.latest_status),
    timeOf(job.started_at),
    durationOf(job.latest_build_duration),
    job.paused ? ({ text: 'paused', style: 'blue' } as const) : '',
  ]);
  return table(['JOB', 'BUILD', 'STATUS', 'STARTED', 'TOOK', 'STATE'], rows, paint);
}

export interface BuildsOptions extends TeamOptions {
  limit: number;
  status?: string;
}

/** The newest first. */
export async function listBuilds(
  { pipeline, job }: { pipeline: string; job: string },
  options: BuildsOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = `${pathOf('teams', options.team, 'pipelines', pipeline, 'jobs', job)}/builds`;
  const { builds, more } = await readBuilds(api, path, options);
  show(builds, options, terminal, asBuilds);
  if (more) terminal.err(`There are older builds: use --limit to show more than ${options.limit}.\n`);
  return EXIT.fine;
}

/** The most that the server gives at a time. */
const PAGE = 100;

async function readBuilds(
  api: Api,
  path: string,
  { limit, status }: BuildsOptions,
): Promise<{ builds: BuildTold[]; more: boolean }> {
  const builds: BuildTold[] = [];
  for (let more = true; more;) {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE, limit - builds.length)),
      ...(status !== undefined && { status }),
      ...(builds.length > 0 && { before: String(builds.at(-1)?.id) }),
    });
    const page = await api.ask<BuildTold[]>('GET', `${path}?${query.toString()}`);
    builds.push(...page.data);
    more = page.hasMore && page.data.length > 0;
    if (builds.length >= limit) return { builds, more };
  }
  return { builds, more: false };
}

function asBuilds(builds: readonly BuildTold[], paint: Paint): string {
  if (builds.length === 0) return '';
  const rows = builds.map((build) => [
    build.number,
    statusCell(build.status),
    timeOf(build.created_at),
    durationOf(build.duration),
    build.message ?? '',
  ]);
  return table(['BUILD', 'STATUS', 'CREATED', 'TOOK', 'MESSAGE'], rows, paint);
}
