import type { VariableOptions } from '#cli/read-variables.ts';
import { EXIT, Misuse, painter, type Exit, type Terminal } from '#cli/terminal.ts';
import type { ChangesAsked, DefinitionTold, MadeTold } from './answers.ts';
import { pathOf } from './api.ts';
import { changesOf, renderChange, type Change } from './changes.ts';
import { connect } from './connect.ts';
import { carryOut, judge } from './judge.ts';
import { readConfigText, readTextVariables } from './read-config.ts';
import { asJson } from './show.ts';
import type { TeamOptions } from './team-options.ts';

interface SettingOptions extends TeamOptions, VariableOptions {
  public?: boolean;
  private?: boolean;
  displayName?: string;
}

export interface CreateOptions extends SettingOptions {
  config: string;
}

export interface UpdateOptions extends SettingOptions {
  config?: string;
  dryRun?: boolean;
}

export interface RenameOptions extends TeamOptions {
  newName: string;
}

/** Makes a pipeline of a text. */
export async function createPipeline(
  name: string,
  options: CreateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const text = await readConfigText(options.config, terminal);
  const vars = await readTextVariables(options, terminal);
  const body = { name, ...settingsOf(options), config: text.source, ...(vars && { vars }) };
  const api = await connect(options, terminal);
  const path = pathOf('teams', options.team, 'pipelines');
  const ask = async () => (await api.ask<MadeTold>('POST', path, body)).data;
  return await carryOut({ options, terminal }, ask, { text, verb: 'created' });
}

/** Changes what is named; the rest stays. What will differ is shown first. */
export async function updatePipeline(
  name: string,
  options: UpdateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const given = options.config === undefined ? undefined : await readConfigText(options.config, terminal);
  const vars = await readTextVariables(options, terminal);
  const api = await connect(options, terminal);
  const path = pathOf('teams', options.team, 'pipelines', name);
  const known = await api.get<DefinitionTold>(`${path}/definition`);
  const wanted: ChangesAsked = {
    ...settingsOf(options),
    ...(given && { config: given.source }),
    // Files tell all variables that there shall be; single values go over those that are there.
    ...(vars && { vars: options.vars === undefined ? { ...known.vars, ...vars } : vars }),
  };
  const text = given ?? { file: `${options.team}/${name}`, source: known.config };
  const change = changesOf(known, wanted);
  if (options.output === 'text') terminal.out(summaryOf(`${options.team}/${name}`, change, terminal));
  if (options.dryRun === true) {
    const asked = { config: known.config, vars: known.vars, ...wanted };
    return await judge({ api, options, terminal }, asked, text, { changes: change });
  }
  const ask = async () => (await api.ask<MadeTold>('PUT', path, wanted)).data;
  return await carryOut({ options, terminal }, ask, { text, verb: 'updated', besides: { changes: change } });
}

function settingsOf(options: SettingOptions): Pick<ChangesAsked, 'public' | 'display_name'> {
  const { public: open, private: closed, displayName } = options;
  return {
    ...((open === true || closed === true) && { public: open === true }),
    ...(displayName !== undefined && { display_name: displayName }),
  };
}

function summaryOf(title: string, change: Change, terminal: Terminal): string {
  const told = renderChange(change, painter(terminal));
  return told === '' ? `${title}: no changes\n` : `${title}:\n${told}`;
}

/** What the server says of a text before anything is made of it. */
export async function validateThere(
  file: string,
  options: TeamOptions & VariableOptions,
  terminal: Terminal,
): Promise<Exit> {
  const text = await readConfigText(file, terminal);
  const vars = (await readTextVariables(options, terminal)) ?? {};
  const api = await connect(options, terminal);
  return await judge({ api, options, terminal }, { config: text.source, vars }, text);
}

/** Its history goes with it. */
export async function renamePipeline(
  name: string,
  options: RenameOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = pathOf('teams', options.team, 'pipelines', name, 'rename');
  const ask = async () => (await api.ask<MadeTold>('POST', path, { name: options.newName })).data;
  const text = { file: `${options.team}/${name}`, source: '' };
  return await carryOut({ options, terminal }, ask, { text, verb: `renamed from ${name}` });
}

/** Its builds end, its history is kept. */
export async function deletePipeline(
  name: string,
  options: TeamOptions & { yes?: boolean },
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  if (options.yes !== true) await confirm(`${options.team}/${name} at ${api.url}`, terminal);
  const { status, data } = await api.ask('DELETE', pathOf('teams', options.team, 'pipelines', name));
  const gone = status === 200;
  terminal.out(
    options.output === 'json'
      ? asJson({ ...Object(data), gone })
      : `${options.team}/${name}: ${gone ? 'deleted' : 'will be deleted when its builds have ended'}\n`,
  );
  return EXIT.fine;
}

async function confirm(what: string, { ask }: Terminal): Promise<void> {
  if (ask === undefined) throw new Misuse(`cannot ask for confirmation to delete ${what}: add --yes`);
  const answer = await ask(`Delete ${what}? Its builds end; its history stays. [y/N] `, 'shown');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Misuse('nothing was deleted');
}
