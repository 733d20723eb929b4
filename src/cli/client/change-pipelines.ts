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

/** Creates a pipeline from an HCL text. */
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
  const save = async () => (await api.ask<SavedJson>('POST', path, body)).data;
  return await saveAndPrint({ options, terminal }, save, { text, verb: 'created' });
}

/**
 * Updates the settings that the options name; others keep their values. With `dryRun`, only validates. The
 * text output begins with the changes.
 */
export async function pipelinesUpdate(
  name: string,
  options: UpdateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const newText = options.config === undefined ? undefined : await readConfigText(options.config, terminal);
  const values = await readTextVariables(options, terminal);
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines', name);
  const current = await api.get<DefinitionJson>(`${path}/definition`);
  if (current.managed_by_manifest === true)
    throw new CommandError(
      `a manifest manages the pipeline ${options.team}/${name}, so it cannot be updated here: ` +
        'change the manifest, then use millrace validate and kubectl apply',
    );
  const update: PipelineUpdate = {
    ...settingsOf(options),
    ...defined({ config: newText?.source, vars: mergeVariables(current.vars, values, options) }),
  };
  const text = newText ?? { file: `${options.team}/${name}`, source: current.config };
  const change = changesOf(current, update);
  if (options.output === 'text') terminal.out(summaryOf(`${options.team}/${name}`, change, terminal));
  if (options.dryRun === true) {
    const updated = { config: current.config, vars: current.vars, ...update };
    return await validateAndPrint({ api, options, terminal }, updated, text, { changes: change });
  }
  const save = async () => (await api.ask<SavedJson>('PUT', path, update)).data;
  return await saveAndPrint({ options, terminal }, save, {
    text,
    verb: 'updated',
    extraFields: { changes: change },
  });
}

function settingsOf(options: SettingOptions): Pick<PipelineUpdate, 'public' | 'display_name'> {
  const { public: isPublic, private: isPrivate, displayName } = options;
  return {
    ...((isPublic === true || isPrivate === true) && { public: isPublic === true }),
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
  const save = async () => (await api.ask<SavedJson>('POST', path, { name: options.newName })).data;
  const text = { file: `${options.team}/${name}`, source: '' };
  return await saveAndPrint({ options, terminal }, save, { text, verb: `renamed from ${name}` });
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

async function confirm(pipeline: string, { ask }: Terminal): Promise<void> {
  if (ask === undefined)
    throw new CommandError(`cannot ask for confirmation to delete ${pipeline}: add --yes`);
  const answer = await ask(`Delete ${pipeline}? Its builds end; its history stays. [y/N] `, 'shown');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was deleted');
}
