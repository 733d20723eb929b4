import { printResult } from '#cli/output.ts';
import { EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import type { TeamOptions } from './team-options.ts';

/** A pipeline with all its jobs, or one job. */
interface Pausable {
  pipeline: string;
  job?: string;
}

/** Pauses or unpauses a pipeline or a job. Pausing what is already paused changes nothing. */
export async function sendPause(
  { pipeline, job }: Pausable,
  verb: 'pause' | 'unpause',
  { options, terminal }: { options: TeamOptions; terminal: Terminal },
): Promise<Exit> {
  const api = await connect(options, terminal);
  const segments = [
    'teams',
    options.team,
    'pipelines',
    pipeline,
    ...(job === undefined ? [] : ['jobs', job]),
  ];
  const { data } = await api.ask('POST', requestPath(...segments, verb));
  const title = job === undefined ? `${options.team}/${pipeline}` : `${pipeline}/${job}`;
  await printResult(data, options, terminal, () => `${title}: ${verb}d\n`);
  return EXIT.success;
}
