import type { Command, Option } from 'commander';

/** What may follow the words of a command. */
export interface CompletionPlace {
  /** The names of the command and its groups, separated by spaces; empty for the program itself. */
  path: string;
  /** Commands of a group, or the values that an argument may have. */
  words: Word[];
  options: OptionWord[];
}

interface Word {
  name: string;
  about: string;
}

export interface OptionWord {
  /** `--output` and `-o`. */
  flags: string[];
  about: string;
  /** Whether a value follows the option, and whether only the values in `choices` are allowed. */
  value: 'none' | 'any' | 'choice';
  choices: readonly string[];
}

/** All places where a word can be completed, the program first. */
export function placesOf(program: Command): CompletionPlace[] {
  return placesBelow(program, '');
}

function placesBelow(command: Command, path: string): CompletionPlace[] {
  const commands = command.createHelp().visibleCommands(command);
  const place: CompletionPlace = {
    path,
    words: [
      ...commands.map((child) => ({ name: child.name(), about: child.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((name) => ({ name, about: description })),
      ),
    ],
    options: command.createHelp().visibleOptions(command).map(optionOf),
  };
  const children = commands.filter((child) => child.name() !== 'help');
  return [place, ...children.flatMap((child) => placesBelow(child, `${path} ${child.name()}`.trim()))];
}

/** The values to complete of an option with its own parser: the option lists them in `forms`. */
function formsOf(option: Option & { forms?: unknown }): string[] | undefined {
  const { forms } = option;
  return Array.isArray(forms) ? forms.map(String) : undefined;
}

/** Whether an option without choices takes a value. */
const freeValueOf = ({ required, optional }: Option): 'any' | 'none' =>
  required || optional ? 'any' : 'none';

function optionOf(option: Option): OptionWord {
  const { long, short, description } = option;
  const choices = option.argChoices ?? formsOf(option);
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    about: description,
    value: choices === undefined ? freeValueOf(option) : 'choice',
    choices: choices ?? [],
  };
}
