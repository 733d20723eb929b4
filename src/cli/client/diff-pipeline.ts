import { printResult } from '#cli/output.ts';
import type { VariableOptions } from '#cli/read-variables.ts';
import { CommandError, EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { requestPath } from './api.ts';
import { changesOf, renderChange } from './changes.ts';
import { connect } from './connect.ts';
import { mergeVariables, readConfigText, readTextVariables } from './read-config.ts';
import type { DefinitionJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export interface DiffOptions extends TeamOptions, VariableOptions {
  config: string;
}

/**
 * Compares a text with the pipeline on the server, like `kubectl diff`: exits with 1 if they differ. Without
 * a difference, exits with 0, and the text output is empty.
 */
export async function diffPipeline(name: string, options: DiffOptions, terminal: Terminal): Promise<Exit> {
  const { source } = await readConfigText(options.config, terminal);
  const values = await readTextVariables(options, terminal);
  const api = await connect(options, terminal);
  const current = await api.get<DefinitionJson>(
    requestPath('teams', options.team, 'pipelines', name, 'definition'),
  );
  if (current.managed_by_manifest === true && values !== undefined)
    throw new CommandError(
      `a manifest manages the pipeline ${options.team}/${name}, and the server does not send its variables: ` +
        'remove --var and --vars to compare the text alone',
    );
  const vars = mergeVariables(current.vars, values, options);
  const change = changesOf(current, { config: source, ...defined({ vars }) });
  await printResult(change, options, terminal, renderChange);
  return change.settings.length + change.lines.length > 0 ? EXIT.failure : EXIT.success;
}
