import { CommandError } from '#cli/terminal.ts';

/** Texts by name, from the arguments of `--input`. The server knows their types. */
export function readGivenInputs(assignments: readonly string[]): Record<string, string> {
  const given = new Map<string, string>();
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CommandError(`--input ${assignment}: write it as --input <name>=<value>`);
    const name = assignment.slice(0, at);
    if (given.has(name))
      throw new CommandError(
        `--input ${name} is given twice: write a list as one value, --input ${name}=a,b`,
      );
    given.set(name, assignment.slice(at + 1));
  }
  return Object.fromEntries(given);
}
