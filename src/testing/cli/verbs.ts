import type { Command } from 'commander';
import { commandLine } from '#command-line';

export interface Verb {
  /** Without the name of the program: `builds watch`. */
  path: string;
  /** The heading under which the program lists it. */
  group: string;
  /** The examples of its help, as a shell reads them. */
  examples: string[];
}

const program = commandLine('');

/** Every verb of the command line, in the order of its help. A group of verbs is not a verb. */
export const VERBS: readonly Verb[] = program.commands.flatMap((command) =>
  verbsBelow(command, '', command.helpGroup()),
);

/** Whether the help lists the verb as one that needs no cluster. */
export const isLocal = ({ group }: Verb): boolean => group === 'Without a cluster:';

function verbsBelow(command: Command, parentPath: string, group: string): Verb[] {
  const path = `${parentPath}${command.name()}`;
  if (command.commands.length > 0)
    return command.commands.flatMap((verb) => verbsBelow(verb, `${path} `, group));
  return [{ path, group, examples: examplesOf(command) }];
}

function examplesOf(verb: Command): string[] {
  let help = '';
  verb.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  const [, after = ''] = help.split('Examples:\n');
  return after.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
}

/** The path of the verb that these words run. */
export function verbOf(words: readonly string[]): string {
  const verb = VERBS.find(({ path }) => path.split(' ').every((word, at) => words[at] === word));
  if (verb === undefined) throw new Error(`no verb of millrace: ${words.join(' ')}`);
  return verb.path;
}
