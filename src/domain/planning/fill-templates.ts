import type { CustomCommand } from '#domain/pipeline/pipeline.ts';

/**
 * The program that a `runner_type` makes of its caller's block: `$<name>` and `${<name>}` become the caller's
 * attributes, `$WORKDIR` the working directory where it is known, an element `$args` the caller's list as it
 * is. What nobody sets stays as written, so that it shows.
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
