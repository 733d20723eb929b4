import { expect, test } from '@jest/globals';
import { commandLine } from '#command-line';

const GROUPS = commandLine('').commands.filter(({ commands }) => commands.length > 0);

test.each(GROUPS.map((group) => [group.name(), group] as const))(
  'the list of commands says what `millrace %s` can do',
  (_name, group) => {
    const verbs = group.commands.map((verb) => verb.name()).join(', ');
    expect(group.description()).toMatch(/^[^:]+: [^:]+$/);
    expect(group.description().split(': ')[1]).toBe(verbs);
  },
);
