import { InvalidArgumentError, Option, type Command } from 'commander';
import { explain } from './explain.ts';
import { checkTemplate } from './json-path.ts';
import type { OutputForm } from './output.ts';
import type { ColourWhen, Terminal } from './terminal.ts';

/** Runs a verb. The verb imports its own program, so that other verbs start sooner. */
export type Run = (colour: ColourWhen, verb: (terminal: Terminal) => Promise<number>) => Promise<void>;

export interface Coloured {
  color: ColourWhen;
}

export const colour = (): Option =>
  new Option('--color <when>', 'colours; auto: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise')
    .choices(['auto', 'always', 'never'])
    .default('auto');

const FORMS: readonly OutputForm[] = ['text', 'wide', 'name', 'json', 'yaml'];

/** The form of the output of a command that lists or gets. */
export const listOutput = (): Option =>
  outputOption(
    'output format: text (wide: more columns) for people, name for shells, or json, yaml or ' +
      "jsonpath='{.items[*].name}' for programs",
    FORMS,
  );

/** The form of the output of any other command. */
export const output = (): Option =>
  outputOption(
    'output format: text for people, or json, yaml or jsonpath=<template> for programs',
    FORMS.filter((form) => form !== 'wide' && form !== 'name'),
  );

/** The parser checks the values: a template of jsonpath is one of many. */
class OutputOption extends Option {
  /** What shells complete. */
  readonly forms: readonly string[];

  constructor(about: string, forms: readonly OutputForm[]) {
    super('-o, --output <form>', about);
    this.forms = [...forms, 'jsonpath='];
    this.argParser((given) => parseForm(given, forms)).default('text' satisfies OutputForm);
  }
}

const outputOption = (about: string, forms: readonly OutputForm[]): Option => new OutputOption(about, forms);

function parseForm(given: string, forms: readonly OutputForm[]): OutputForm {
  const form = forms.find((one) => one === given);
  if (form !== undefined) return form;
  const [, template] = /^jsonpath=(.*)$/s.exec(given) ?? [];
  if (template === undefined)
    throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}, jsonpath=<template>.`);
  try {
    checkTemplate(template);
  } catch (error) {
    throw new InvalidArgumentError(`${explain(error)}.`);
  }
  return `jsonpath=${template}`;
}

/** Collects the values of a repeatable option. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

export const variables = (command: Command): Command =>
  command
    .option('--var <name=value>', 'value of a variable; repeatable', repeated)
    .option('--vars <file>', 'JSON file with an object of variable values; repeatable', repeated);

export const offlineExitCodesHelp = (wrong: string): string =>
  `\nExit codes: 0: success; 1: ${wrong}; 2: usage error, or a file cannot be read or written.`;
