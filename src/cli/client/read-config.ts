import { textOfVariable } from '#cli/check-pipeline.ts';
import { isManifest } from '#cli/is-manifest.ts';
import { readInput } from '#cli/read-files.ts';
import { readVariables, type VariableOptions } from '#cli/read-variables.ts';
import { CommandError, type Terminal } from '#cli/terminal.ts';

/** The text of a pipeline, and the file name for messages. */
export interface ConfigText {
  file: string;
  source: string;
}

export async function readConfigText(name: string, terminal: Terminal): Promise<ConfigText> {
  const { file, bytes } = await readInput(name, terminal);
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is not UTF-8 text: save it in that encoding`);
  }
  if (isManifest(file, source))
    throw new CommandError(`${file} is a manifest: use kubectl apply. The API takes only HCL`);
  if (source === '')
    throw new CommandError(`${file} is empty: write a pipeline into it, or name another file`);
  return { file, source };
}

/** The values of --var and --vars as strings, as in a manifest. Undefined without these options. */
export async function readTextVariables(
  options: VariableOptions,
  terminal: Terminal,
): Promise<Record<string, string> | undefined> {
  if (options.var === undefined && options.vars === undefined) return undefined;
  const variables = Object.entries(await readVariables(options, terminal));
  return Object.fromEntries(variables.map(([name, { value }]) => [name, textOfVariable(value)]));
}

/**
 * The variables after an update. A file of variables replaces all of them. Without a file, the given values
 * are added to the existing ones, and replace those of the same name. Undefined: nothing changes.
 */
export function mergeVariables(
  current: Readonly<Record<string, string>>,
  values: Record<string, string> | undefined,
  { vars }: Pick<VariableOptions, 'vars'>,
): Record<string, string> | undefined {
  if (values === undefined || vars !== undefined) return values;
  return { ...current, ...values };
}
