import { InvalidArgumentError, Option, type Command } from 'commander';
import { explain } from './explain.ts';
import { checkTemplate } from './json-path.ts';
import type { OutputForm } from './output.ts';
import type { ColourWhen, Terminal } from './terminal.ts';

/** Runs a verb. The verb imports its code only when it runs, so that other verbs start sooner. */
export type Run = (colour: ColourWhen, verb: (terminal: Terminal) => Promise<number>) => Promise<void>;

export interface ColourOptions {
  color: ColourWhen;
}

export const colourOption = (): Option =>
  new Option('--color <when>', 'colours; auto: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise')
    .choices(['auto', 'always', 'never'])
    .default('auto');

const FORMS: readonly OutputForm[] = ['text', 'wide', 'name', 'json', 'yaml'];

/** The form of the output of a command that lists or gets. */
export const listOutputOption = (): Option =>
  new OutputOption(
    'output format: text (wide: more columns) for people, name for shells, or json, yaml or ' +
      "jsonpath='{.items[*].name}' for programs",
    FORMS,
  );

/** The form of the output of most other commands. */
export const outputOption = (): Option =>
  new OutputOption(
    'output format: text for people, or json, yaml or jsonpath=<template> for programs',
    FORMS.filter((form) => form !== 'wide' && form !== 'name'),
  );

/** An option with its own parser instead of `choices`, because a template of jsonpath may be any text. */
class OutputOption extends Option {
  /** The values that shells complete. */
  readonly forms: readonly string[];

  constructor(description: string, forms: readonly OutputForm[]) {
    super('-o, --output <form>', description);
    this.forms = [...forms, 'jsonpath='];
    this.argParser((value) => parseForm(value, forms)).default('text' satisfies OutputForm);
  }
}

function parseForm(value: string, forms: readonly OutputForm[]): OutputForm {
  const form = forms.find((allowed) => allowed === value);
  if (form !== undefined) return form;
  const [, template] = /^jsonpath=(.*)$/s.exec(value) ?? [];
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
export const collectValues = (value: string, before: string[] = []): string[] => [...before, value];

export const addVariableOptions = (command: Command): Command =>
  command
    .option('--var <name=value>', 'value of a variable; repeatable', collectValues)
    .option('--vars <file>', 'JSON file with an object of variable values; repeatable', collectValues);

export const offlineExitCodesHelp = (failure: string): string =>
  `\nExit codes: 0: success; 1: ${failure}; 2: usage error, or a file cannot be read or written.`;
