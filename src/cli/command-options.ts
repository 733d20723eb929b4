import { Option, type Command } from 'commander';
import type { ColourWhen, Exit, Terminal } from './terminal.ts';

/** Runs a verb. The verb imports its own program, so that other verbs start sooner. */
export type Run = (colour: ColourWhen, verb: (terminal: Terminal) => Promise<Exit>) => Promise<void>;

export interface Coloured {
  color: ColourWhen;
}

export const colour = (): Option =>
  new Option('--color <when>', 'colours; auto: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise')
    .choices(['auto', 'always', 'never'])
    .default('auto');

/** Collects the values of a repeatable option. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

export const variables = (command: Command): Command =>
  command
    .option('--var <name=value>', 'value of a variable; repeatable', repeated)
    .option('--vars <file>', 'JSON file with an object of variable values; repeatable', repeated);

export const offlineExitCodesHelp = (wrong: string): string =>
  `\nExit codes: 0: success; 1: ${wrong}; 2: usage error, or a file cannot be read or written.`;
