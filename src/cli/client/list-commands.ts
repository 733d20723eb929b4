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
  await printResult(pipelines, options, terminal, {
    render: renderPipelines,
    names: (items) => items.map(({ team, name }) => `pipeline/${team}/${name}`),
  });
  return EXIT.success;
}

function renderPipelines(pipelines: readonly PipelineJson[], paint: Paint, isWide: boolean): string {
  if (pipelines.length === 0) return '';
  const heads = [
    'NAME',
    'JOBS',
    'RESOURCES',
    'REVISION',
    'VISIBLE TO',
    'STATE',
    'DISPLAY NAME',
    'TEAM',
    'ID',
  ];
  const rows = pipelines.map((pipeline) => [
    pipeline.name,
    String(pipeline.jobs),
    String(pipeline.resources),
    String(pipeline.revision),
    pipeline.public ? 'anyone' : 'the team',
    pipeline.paused ? ({ text: 'paused', style: 'blue' } as const) : '',
    pipeline.display_name ?? '',
    ...(isWide ? [pipeline.team, String(pipeline.id)] : []),
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
    // The server does not send the variables of a pipeline that a manifest manages. The output leaves them
    // out, because an empty map would look like a pipeline without variables.
    const { vars: _unknown, ...withoutVariables } = definition;
    await printResult(
      definition.managed_by_manifest === true ? withoutVariables : definition,
      options,
      terminal,
      {
        render: ({ config }) => (terminal.isScreen ? visibleLines(config) : config),
        names: () => [`pipeline/${options.team}/${name}`],
      },
    );
    return EXIT.success;
  }
  await printResult(await api.get<PipelineJson>(path), options, terminal, {
    render: renderPipeline,
    names: (pipeline) => [`pipeline/${pipeline.team}/${pipeline.name}`],
  });
  return EXIT.success;
}

function renderPipeline(pipeline: PipelineJson, paint: Paint): string {
  const facts: [string, string][] = [
    ['name', `${pipeline.team}/${pipeline.name}`],
    ['display name', pipeline.display_name ?? ''],
    ['visible to', pipeline.public ? 'anyone' : 'the team'],
    ['paused', pipeline.paused ? 'yes' : 'no'],
    ['revision', String(pipeline.revision)],
    ['jobs', String(pipeline.jobs)],
    ['resources', String(pipeline.resources)],
  ];
  return renderFacts(facts, paint);
}

export async function listJobs(pipeline: string, options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const jobs = await api.get<JobJson[]>(`${requestPath('teams', options.team, 'pipelines', pipeline)}/jobs`);
  await printResult(jobs, options, terminal, {
    render: renderJobs,
    names: (items) => items.map(({ name }) => `job/${options.team}/${pipeline}/${name}`),
  });
  return EXIT.success;
}

function renderJobs(jobs: readonly JobJson[], paint: Paint, isWide: boolean): string {
  const rows = jobs.map((job) => [
    job.name,
    job.latest_build_number ?? 'none yet',
    statusCell(job.latest_status),
    timeOf(job.started_at),
    durationOf(job.latest_build_duration),
    job.paused ? ({ text: 'paused', style: 'blue' } as const) : '',
    ...(isWide ? [(job.inputs ?? []).map(({ name }) => name).join(' '), String(job.id)] : []),
  ]);
  return renderTable(['JOB', 'BUILD', 'STATUS', 'STARTED', 'TOOK', 'STATE', 'INPUTS', 'ID'], rows, paint);
}

export interface BuildsOptions extends TeamOptions {
  limit: number;
  status?: string;
}

/** Lists the builds of a job, newest first. */
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
  await printResult(builds, options, terminal, {
    render: renderBuilds,
    names: (items) => items.map(({ number }) => `build/${options.team}/${pipeline}/${job}/${number}`),
  });
  if (more) terminal.err(`There are older builds: use --limit to show more than ${options.limit}.\n`);
  return EXIT.success;
}

function renderBuilds(builds: readonly BuildJson[], paint: Paint, isWide: boolean): string {
  if (builds.length === 0) return '';
  const rows = builds.map((build) => [
    build.number,
    statusCell(build.status),
    timeOf(build.created_at),
    durationOf(build.duration),
    shortFields(build.input_values),
    build.message ?? '',
    ...(isWide ? wideCells(build) : []),
  ]);
  const heads = ['BUILD', 'STATUS', 'CREATED', 'TOOK', 'INPUTS', 'MESSAGE'];
  return renderTable([...heads, 'STARTED', 'ENDED', 'REASON', 'ATTEMPT', 'ID'], rows, paint);
}

const wideCells = (build: BuildJson): string[] => [
  timeOf(build.started_at),
  timeOf(build.ended_at),
  build.reason ?? '',
  String(build.attempt),
  String(build.id),
];
