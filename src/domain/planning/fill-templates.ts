import type { CustomCommand } from '#domain/pipeline/pipeline.ts';

/**
 * The program of a `runner_type` for a calling block. `$<name>` and `${<name>}` become attributes of the
 * caller, `$WORKDIR` the working directory if it is known, and an element `$args` the caller's list. Unset
 * names stay as written.
 */
export function fillTemplates(command: CustomCommand, workdir?: string): { path: string; args: string[] } {
  const values = new Map(Object.entries(command.attributes));
  if (workdir !== undefined) values.set('WORKDIR', workdir);
  const fill = (template: string): string =>
    template.replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (written, braced: string | undefined, bare: string | undefined) =>
        values.get(braced ?? bare ?? '') ?? written,
    );
  return {
    path: fill(command.path),
    args: command.args.flatMap((arg) => (arg === '$args' ? command.callerArgs : [fill(arg)])),
  };
}
