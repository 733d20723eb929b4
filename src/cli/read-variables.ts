import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { explain } from './explain.ts';
import { readInput } from './read-files.ts';
import { CommandError, type Terminal } from './terminal.ts';

export interface VariableOptions {
  /** `<name>=<value>` */
  var?: string[];
  /** Files with a JSON object. */
  vars?: string[];
}

/** Variables from the command line. `--var` overrides `--vars`, and later files override earlier ones. */
export async function readVariables(options: VariableOptions, terminal: Terminal): Promise<GivenVariables> {
  const variables: Record<string, GivenVariables[string]> = {};
  for (const file of options.vars ?? []) Object.assign(variables, await readVariablesFile(file, terminal));
  for (const assignment of options.var ?? []) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CommandError(`--var ${assignment}: write it as --var <name>=<value>`);
    variables[assignment.slice(0, at)] = { value: assignment.slice(at + 1) };
  }
  return variables;
}

async function readVariablesFile(name: string, terminal: Terminal): Promise<GivenVariables> {
  const { file, bytes } = await readInput(name, terminal);
  const values = parseObject(file, new TextDecoder().decode(bytes));
  return Object.fromEntries(Object.entries(values).map(([variable, value]) => [variable, { value }]));
}

function parseObject(file: string, text: string): Record<string, GivenVariables[string]['value']> {
  let value: Record<string, GivenVariables[string]['value']> | null;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${explain(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandError(`${file} is not a JSON object: write {"<name>": <value>, …}`);
  }
  return value;
}
