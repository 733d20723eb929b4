import { printResult } from '#cli/output.ts';
import { EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { connect } from './connect.ts';
import { resourcePath, type ResourceArgument } from './list-resources.ts';
import type { TeamOptions } from './team-options.ts';

interface VerbContext<Options extends TeamOptions = TeamOptions> {
  options: Options;
  terminal: Terminal;
}

interface VersionArgument extends ResourceArgument {
  version: number;
}

export interface PinOptions extends TeamOptions {
  comment?: string;
}

export async function sendPin(
  { version, ...name }: VersionArgument,
  { options, terminal }: VerbContext<PinOptions>,
): Promise<Exit> {
  const body = { version_id: version, ...defined({ comment: options.comment }) };
  return await sendChange(
    name,
    { path: '/pin', body, result: `pinned to version ${version}` },
    { options, terminal },
  );
}

export async function sendUnpin(name: ResourceArgument, context: VerbContext): Promise<Exit> {
  return await sendChange(name, { path: '/unpin', result: 'unpinned' }, context);
}

/** Requests a check; does not wait for it. */
export async function sendCheck(name: ResourceArgument, context: VerbContext): Promise<Exit> {
  const exit = await sendChange(name, { path: '/check', result: 'check requested' }, context);
  context.terminal.err(`See its result with millrace resources get ${name.pipeline}/${name.resource}\n`);
  return exit;
}

export async function enableOrDisableVersion(
  { version, ...name }: VersionArgument,
  verb: 'enable' | 'disable',
  context: VerbContext,
): Promise<Exit> {
  const change = { path: `/versions/${version}/${verb}`, result: `version ${version} ${verb}d` };
  return await sendChange(name, change, context);
}

async function sendChange(
  name: ResourceArgument,
  { path, body, result }: { path: string; body?: unknown; result: string },
  { options, terminal }: VerbContext,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const { data } = await api.ask('POST', `${resourcePath(options.team, name)}${path}`, body);
  await printResult(data, options, terminal, () => `${name.pipeline}/${name.resource}: ${result}\n`);
  return EXIT.success;
}

interface TriggeredJson {
  builds: { job: string; number: string; url: string }[];
  refused: { job: string; reasons: { message: string }[] }[];
}

/** Starts a build with this version for each job that gets the resource without `passed`. */
export async function triggerByVersion(
  { version, ...name }: VersionArgument,
  { options, terminal }: VerbContext,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = `${resourcePath(options.team, name)}/versions/${version}/trigger`;
  const { data } = await api.ask<TriggeredJson>('POST', path);
  await printResult(data, options, terminal, ({ builds }) =>
    builds
      .map(({ job, number, url }) => `${name.pipeline}/${job}: build ${number}, ${api.url}${url}`)
      .map((line) => `${replaceInvisible(line)}\n`)
      .join(''),
  );
  for (const { job, reasons } of data.refused)
    terminal.err(
      replaceInvisible(`No build of ${job}: ${reasons.map(({ message }) => message).join(' ')}`) + '\n',
    );
  return EXIT.success;
}
