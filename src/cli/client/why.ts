import { printResult, renderTable } from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import type { WaitingJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

/**
 * Explains why jobs get no build and pending builds do not start. Without a job: all jobs of the pipeline.
 */
export async function explainWaiting(
  { pipeline, job }: { pipeline: string; job?: string },
  options: TeamOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const segments = [
    'teams',
    options.team,
    'pipelines',
    pipeline,
    ...(job === undefined ? [] : ['jobs', job]),
  ];
  const waiting = await api.get<WaitingJson>(requestPath(...segments, 'waiting'));
  await printResult(waiting, options, terminal, renderWaiting);
  if (rowsOf(waiting).length === 0)
    terminal.err(`Nothing holds ${job === undefined ? pipeline : `${pipeline}/${job}`} back.\n`);
  return EXIT.success;
}

function renderWaiting(waiting: WaitingJson, paint: Paint): string {
  const rows = rowsOf(waiting);
  return rows.length === 0 ? '' : renderTable(['JOB', 'BUILD', 'CODE', 'WHY'], rows, paint);
}

function rowsOf({ jobs, builds }: WaitingJson): string[][] {
  return [
    ...jobs.flatMap(({ name, reasons }) => reasons.map(({ code, message }) => [name, '', code, message])),
    ...builds.flatMap(({ job, number, reasons }) =>
      reasons.map(({ code, message }) => [job, number, code, message]),
    ),
  ];
}
