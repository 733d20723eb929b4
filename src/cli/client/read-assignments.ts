import { CommandError } from '#cli/terminal.ts';

/** Texts by name, from the arguments of `--input`. The server knows their types. */
export function readGivenInputs(assignments: readonly string[]): Record<string, string> {
  return readAssignments(assignments, {
    malformed: (text) => `--input ${text}: write it as --input <name>=<value>`,
    twice: (name) => `--input ${name} is given twice: write a list as one value, --input ${name}=a,b`,
  });
}

/** Fields of an event, from the arguments `<name>=<value>`. */
export function readFields(assignments: readonly string[]): Record<string, string> {
  return readAssignments(assignments, {
    malformed: (text) => `${text}: write a field as <name>=<value>`,
    twice: (name) => `the field ${name} is given twice`,
  });
}

interface Complaints {
  malformed: (text: string) => string;
  twice: (name: string) => string;
}

function readAssignments(assignments: readonly string[], complaints: Complaints): Record<string, string> {
  const given = new Map<string, string>();
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CommandError(complaints.malformed(assignment));
    const name = assignment.slice(0, at);
    if (given.has(name)) throw new CommandError(complaints.twice(name));
    given.set(name, assignment.slice(at + 1));
  }
  return Object.fromEntries(given);
}
