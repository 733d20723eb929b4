import { printResult } from '#cli/output.ts';
import type { VariableOptions } from '#cli/read-variables.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { requestPath } from './api.ts';
import { changesOf, renderChange, type Change } from './changes.ts';
import { connect } from './connect.ts';
import { mergeVariables, readConfigText, readTextVariables } from './read-config.ts';
import type { DefinitionJson, PipelineUpdate, SavedJson } from './response-types.ts';
import { saveAndPrint, validateAndPrint } from './save-pipeline.ts';
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

/** Creates a pipeline from a text. */
export async function pipelinesCreate(
  name: string,
  options: CreateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const text = await readConfigText(options.config, terminal);
  const vars = await readTextVariables(options, terminal);
  const body = { name, ...settingsOf(options), config: text.source, ...defined({ vars }) };
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines');
  const ask = async () => (await api.ask<SavedJson>('POST', path, body)).data;
  return await saveAndPrint({ options, terminal }, ask, { text, verb: 'created' });
}

/** Updates the named settings; the others stay. Prints the changes first. */
export async function pipelinesUpdate(
  name: string,
  options: UpdateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const given = options.config === undefined ? undefined : await readConfigText(options.config, terminal);
  const values = await readTextVariables(options, terminal);
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines', name);
  const known = await api.get<DefinitionJson>(`${path}/definition`);
  if (known.managed_by_manifest === true)
    throw new CommandError(
      `a manifest manages the pipeline ${options.team}/${name}, so it cannot be updated here: ` +
        'change the manifest, then use millrace validate and kubectl apply',
    );
  const wanted: PipelineUpdate = {
    ...settingsOf(options),
    ...defined({ config: given?.source, vars: mergeVariables(known.vars, values, options) }),
  };
  const text = given ?? { file: `${options.team}/${name}`, source: known.config };
  const change = changesOf(known, wanted);
  if (options.output === 'text') terminal.out(summaryOf(`${options.team}/${name}`, change, terminal));
  if (options.dryRun === true) {
    const updated = { config: known.config, vars: known.vars, ...wanted };
    return await validateAndPrint({ api, options, terminal }, updated, text, { changes: change });
  }
  const ask = async () => (await api.ask<SavedJson>('PUT', path, wanted)).data;
  return await saveAndPrint({ options, terminal }, ask, {
    text,
    verb: 'updated',
    extraFields: { changes: change },
  });
}

function settingsOf(options: SettingOptions): Pick<PipelineUpdate, 'public' | 'display_name'> {
  const { public: open, private: closed, displayName } = options;
  return {
    ...((open === true || closed === true) && { public: open === true }),
    ...defined({ display_name: displayName }),
  };
}

function summaryOf(title: string, change: Change, terminal: Terminal): string {
  const rendered = renderChange(change, painter(terminal));
  return rendered === '' ? `${title}: no changes\n` : `${title}:\n${rendered}`;
}

/** Validates a text on the server without saving it. */
export async function validateOnServer(
  file: string,
  options: TeamOptions & VariableOptions,
  terminal: Terminal,
): Promise<Exit> {
  const text = await readConfigText(file, terminal);
  const vars = (await readTextVariables(options, terminal)) ?? {};
  const api = await connect(options, terminal);
  return await validateAndPrint({ api, options, terminal }, { config: text.source, vars }, text);
}

/** Renames a pipeline; it keeps its history. */
export async function pipelinesRename(
  name: string,
  options: RenameOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines', name, 'rename');
  const ask = async () => (await api.ask<SavedJson>('POST', path, { name: options.newName })).data;
  const text = { file: `${options.team}/${name}`, source: '' };
  return await saveAndPrint({ options, terminal }, ask, { text, verb: `renamed from ${name}` });
}

/** Deletes a pipeline. Its builds end; its history stays. */
export async function pipelinesDelete(
  name: string,
  options: TeamOptions & { yes?: boolean },
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  if (options.yes !== true) await confirm(`${options.team}/${name} at ${api.url}`, terminal);
  const { status, data } = await api.ask('DELETE', requestPath('teams', options.team, 'pipelines', name));
  const gone = status === 200;
  await printResult(
    { ...Object(data), gone },
    options,
    terminal,
    () => `${options.team}/${name}: ${gone ? 'deleted' : 'will be deleted when its builds have ended'}\n`,
  );
  return EXIT.success;
}

async function confirm(what: string, { ask }: Terminal): Promise<void> {
  if (ask === undefined) throw new CommandError(`cannot ask for confirmation to delete ${what}: add --yes`);
  const answer = await ask(`Delete ${what}? Its builds end; its history stays. [y/N] `, 'shown');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was deleted');
}
