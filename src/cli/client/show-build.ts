import {
  durationOf,
  printResult,
  renderFacts,
  renderTable,
  shortFields,
  statusCell,
  timeOf,
} from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { stepTitle } from '#domain/build/step-title.ts';
import type { Api } from './api.ts';
import { buildPath } from './change-builds.ts';
import { connect } from './connect.ts';
import type { BuildDetailJson } from './response-types.ts';
import { ScreenText } from './screen-text.ts';
import type { TeamOptions } from './team-options.ts';
import { newestBuildNumber, type JobArgument } from './watch.ts';

type BuildOrNewest = JobArgument & { build?: string };

/** Prints a build with its inputs and steps. */
export async function showBuild(
  name: BuildOrNewest,
  options: TeamOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = await pathOfBuild(api, options.team, name);
  const build = await api.get<BuildDetailJson>(path);
  const job = `${name.pipeline}/${name.job}`;
  await printResult(build, options, terminal, {
    render: (data, paint) => renderBuild(data, job, paint),
    names: ({ number }) => [`build/${options.team}/${job}/${number}`],
  });
  return EXIT.success;
}

/** The path of a build, or of the newest build of the job if the name has no number. */
export async function pathOfBuild(api: Api, team: string, name: BuildOrNewest): Promise<string> {
  const build = name.build ?? (await newestBuildNumber(api, team, name));
  const job = `${name.pipeline}/${name.job}`;
  if (build === undefined)
    throw new CommandError(`${job} has no build yet: start one with millrace trigger ${job}`);
  return buildPath(team, { ...name, build });
}

function renderBuild(build: BuildDetailJson, job: string, paint: Paint): string {
  const facts = renderFacts(
    [
      ['build', `${job}/${build.number}`],
      ['status', statusCell(build.status)],
      ['message', build.message ?? ''],
      ['cancelled by', build.cancelled_by ?? ''],
      ['warning by', build.marked_warning_by ?? ''],
      ['created', timeOf(build.created_at)],
      ['started', timeOf(build.started_at)],
      ['took', durationOf(build.duration)],
      ['attempt', build.attempt > 1 ? String(build.attempt) : ''],
      ['inputs', shortFields(build.input_values)],
    ],
    paint,
  );
  return facts + inputsTable(build, paint) + stepsTable(build, paint);
}

function inputsTable({ inputs }: BuildDetailJson, paint: Paint): string {
  if (inputs.length === 0) return '';
  const rows = inputs.map((input) => [
    input.name,
    input.resource,
    String(input.version_id),
    shortFields(input.version),
  ]);
  return `\n${renderTable(['GET', 'RESOURCE', 'ID', 'VERSION'], rows, paint)}`;
}

function stepsTable({ steps }: BuildDetailJson, paint: Paint): string {
  if (steps.length === 0) return '';
  const rows = steps.map((step) => [
    stepTitle(step),
    step.hook ?? '',
    statusCell(step.status),
    timeOf(step.started_at),
    step.exit_code === undefined ? '' : String(step.exit_code),
    step.message ?? '',
  ]);
  return `\n${renderTable(['STEP', 'HOOK', 'STATUS', 'STARTED', 'EXIT CODE', 'MESSAGE'], rows, paint)}`;
}

const RESET = '\u001b[0m';

export interface LogOptions extends Omit<TeamOptions, 'output'> {
  timestamps?: boolean;
}

/** Prints the log of a build so far. */
export async function printLog(name: BuildOrNewest, options: LogOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = await pathOfBuild(api, options.team, name);
  const query = options.timestamps === true ? '?timestamps=true' : '';
  const screen = new ScreenText(terminal.colour);
  const log = api.download(`${path}/logs${query}`);
  try {
    for await (const text of log) {
      // The reader has seen enough: `millrace builds logs … | head`.
      if (terminal.isOver === true) break;
      terminal.out(terminal.isScreen ? screen.push(text) : text);
    }
  } finally {
    // The log may have left colours on.
    if (terminal.isScreen && terminal.colour && terminal.isOver !== true) terminal.out(RESET);
  }
  return EXIT.success;
}
