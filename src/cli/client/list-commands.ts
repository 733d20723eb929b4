import {
  durationOf,
  printResult,
  renderFacts,
  renderTable,
  shortFields,
  statusCell,
  timeOf,
  visibleLines,
} from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import { readPages } from './read-pages.ts';
import type { BuildJson, DefinitionJson, JobJson, PipelineJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export async function listPipelines(options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const pipelines = await api.get<PipelineJson[]>(requestPath('teams', options.team, 'pipelines'));
  if (pipelines.length === 0) terminal.err(`Team ${options.team} has no pipelines.\n`);
  printResult(pipelines, options, terminal, asPipelines);
  return EXIT.success;
}

function asPipelines(pipelines: readonly PipelineJson[], paint: Paint): string {
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
  return renderTable(heads, rows, paint);
}

/** Prints one pipeline, or its text. */
export async function getPipeline(
  name: string,
  options: TeamOptions & { config?: boolean },
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines', name);
  if (options.config === true) {
    const definition = await api.get<DefinitionJson>(`${path}/definition`);
    printResult(definition, options, terminal, ({ config }) =>
      terminal.isScreen ? visibleLines(config) : config,
    );
    return EXIT.success;
  }
  printResult(await api.get<PipelineJson>(path), options, terminal, asPipeline);
  return EXIT.success;
}

function asPipeline(one: PipelineJson, paint: Paint): string {
  const facts: [string, string][] = [
    ['name', `${one.team}/${one.name}`],
    ['display name', one.display_name ?? ''],
    ['visible to', one.public ? 'anyone' : 'the team'],
    ['paused', one.paused ? 'yes' : 'no'],
    ['revision', String(one.revision)],
    ['jobs', String(one.jobs)],
    ['resources', String(one.resources)],
  ];
  return renderFacts(facts, paint);
}

export async function listJobs(pipeline: string, options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const jobs = await api.get<JobJson[]>(`${requestPath('teams', options.team, 'pipelines', pipeline)}/jobs`);
  printResult(jobs, options, terminal, asJobs);
  return EXIT.success;
}

function asJobs(jobs: readonly JobJson[], paint: Paint): string {
  const rows = jobs.map((job) => [
    job.name,
    job.latest_build_number ?? 'none yet',
    statusCell(job.latest_status),
    timeOf(job.started_at),
    durationOf(job.latest_build_duration),
    job.paused ? ({ text: 'paused', style: 'blue' } as const) : '',
  ]);
  return renderTable(['JOB', 'BUILD', 'STATUS', 'STARTED', 'TOOK', 'STATE'], rows, paint);
}

export interface BuildsOptions extends TeamOptions {
  limit: number;
  status?: string;
}

/** Newest first. */
export async function listBuilds(
  { pipeline, job }: { pipeline: string; job: string },
  options: BuildsOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = `${requestPath('teams', options.team, 'pipelines', pipeline, 'jobs', job)}/builds`;
  const { rows: builds, more } = await readPages(
    async (query) => await api.ask<BuildJson[]>('GET', `${path}?${query}`),
    { limit: options.limit, query: defined({ status: options.status }) },
  );
  printResult(builds, options, terminal, asBuilds);
  if (more) terminal.err(`There are older builds: use --limit to show more than ${options.limit}.\n`);
  return EXIT.success;
}

function asBuilds(builds: readonly BuildJson[], paint: Paint): string {
  if (builds.length === 0) return '';
  const rows = builds.map((build) => [
    build.number,
    statusCell(build.status),
    timeOf(build.created_at),
    durationOf(build.duration),
    shortFields(build.input_values),
    build.message ?? '',
  ]);
  return renderTable(['BUILD', 'STATUS', 'CREATED', 'TOOK', 'INPUTS', 'MESSAGE'], rows, paint);
}
