import type { CustomCommand } from '#domain/pipeline/command.ts';
import { fillTemplate } from '#domain/pipeline/runner-templates.ts';

export interface FilledTemplates {
  path: string;
  args: string[];
  /** Positions in `args` where `$env` stood: the agent inserts `-e NAME=VALUE` there. */
  environmentAt: number[];
}

/**
 * The program of a `runner_type` for a calling block. `$<name>` and `${<name>}` become attributes of the
 * caller, `$WORKDIR` the working directory if it is known, and an element `$args` the arguments of the
 * caller. Names without a value stay as written.
 */
export function fillTemplates(command: CustomCommand, workdir?: string): FilledTemplates {
  const values = new Map(Object.entries(command.attributes));
  if (workdir !== undefined) values.set('WORKDIR', workdir);
  const args: string[] = [];
  const environmentAt: number[] = [];
  for (const arg of command.args) {
    if (arg === '$env') environmentAt.push(args.length);
    else if (arg === '$args') args.push(...command.callerArgs);
    else args.push(fillTemplate(arg, values));
  }
  return { path: fillTemplate(command.path, values), args, environmentAt };
}
