import { CommandError } from '#cli/terminal.ts';

/** The values of inputs by name, from the arguments of `--input`. Only the server knows their types. */
export function readGivenInputs(assignments: readonly string[]): Record<string, string> {
  return readAssignments(assignments, {
    malformed: (text) => `--input ${text}: write it as --input <name>=<value>`,
    duplicate: (name) => `--input ${name} is given twice: write a list as one value, --input ${name}=a,b`,
  });
}

/** Fields of an event, from the arguments `<name>=<value>`. */
export function readFields(assignments: readonly string[]): Record<string, string> {
  return readAssignments(assignments, {
    malformed: (text) => `${text}: write a field as <name>=<value>`,
    duplicate: (name) => `the field ${name} is given twice`,
  });
}

interface ErrorMessages {
  malformed: (text: string) => string;
  duplicate: (name: string) => string;
}

function readAssignments(
  assignments: readonly string[],
  errorMessages: ErrorMessages,
): Record<string, string> {
  const values = new Map<string, string>();
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CommandError(errorMessages.malformed(assignment));
    const name = assignment.slice(0, at);
    if (values.has(name)) throw new CommandError(errorMessages.duplicate(name));
    values.set(name, assignment.slice(at + 1));
  }
  return Object.fromEntries(values);
}
