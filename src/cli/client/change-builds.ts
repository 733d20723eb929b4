import { printResult } from '#cli/output.ts';
import { EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import type { BuildJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';
import { followBuildToEnd, refuseDataForm, type JobArgument } from './watch.ts';

export interface BuildArgument extends JobArgument {
  build: string;
}

export interface RetryOptions extends TeamOptions {
  watch?: boolean;
}

export interface VoteOptions extends TeamOptions {
  message?: string;
}

/** Cancels a build. A running build stops its current steps and runs its hooks before it ends. */
export async function sendCancel(
  name: BuildArgument,
  options: TeamOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const { data } = await api.ask('POST', `${buildPath(options.team, name)}/cancel`);
  await printResult(
    data,
    options,
    terminal,
    () => `${titleOf(name)}: cancelled; the running step stops first, then hooks run\n`,
  );
  return EXIT.success;
}

/** Runs a build again with the same versions and the same definition. */
export async function sendRetry(
  name: BuildArgument,
  options: RetryOptions,
  terminal: Terminal,
): Promise<Exit> {
  refuseDataForm(options);
  const api = await connect(options, terminal);
  const path = `${buildPath(options.team, name)}/retry`;
  const { data } = await api.ask<{ number: string; url: string }>('POST', path);
  const line = `${name.pipeline}/${name.job}: build ${replaceInvisible(data.number)}, ${api.url}${replaceInvisible(data.url)}\n`;
  if (options.watch === true) {
    terminal.err(line);
    return await followBuildToEnd({ api, options, terminal }, name, data.number);
  }
  await printResult(data, options, terminal, () => line);
  return EXIT.success;
}

/** Approves or rejects a build that waits for approval. */
export async function sendVote(
  name: BuildArgument,
  vote: 'approve' | 'reject',
  { options, terminal }: { options: VoteOptions; terminal: Terminal },
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = `${buildPath(options.team, name)}/${vote}`;
  const body = defined({ message: options.message });
  const { data } = await api.ask<{ state: string; message: string }>('POST', path, body);
  await printResult(data, options, terminal, ({ state, message }) => {
    return `${titleOf(name)}: ${replaceInvisible(state)}. ${replaceInvisible(message)}\n`;
  });
  return EXIT.success;
}

/** Marks a failed build as a warning. */
export async function sendWarning(
  name: BuildArgument,
  options: TeamOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const { data } = await api.ask<Pick<BuildJson, 'status'>>(
    'PUT',
    `${buildPath(options.team, name)}/warning`,
  );
  await printResult(
    data,
    options,
    terminal,
    () => `${titleOf(name)}: a warning; it counts as good for passed\n`,
  );
  return EXIT.success;
}

export const buildPath = (team: string, { pipeline, job, build }: BuildArgument): string =>
  requestPath('teams', team, 'pipelines', pipeline, 'jobs', job, 'builds', build);

const titleOf = ({ pipeline, job, build }: BuildArgument): string => `${pipeline}/${job}/${build}`;
