import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Argument, Command, Option } from 'commander';
import { golden } from '#testing/jest/golden-file.ts';
import { completionScript } from './completion-script.ts';

const group = new Command('cars').description("cars of a driver's team").addCommand(
  new Command('list')
    .description('list: the cars')
    .addOption(new Option('-c, --colour <colour>', 'only of this colour').choices(['red', 'blue']))
    .option('--owner <name>', "the owner's name"),
);
const program = new Command('garage')
  .addCommand(group)
  .addCommand(new Command('paint').addArgument(new Argument('<colour>').choices(['red', 'blue'])));

test.each(['bash', 'zsh', 'fish'] as const)('the script for %s completes commands and options', (shell) => {
  const script = completionScript(shell, program);
  expect(script).toBe(golden(join(import.meta.dirname, 'testdata', `completion.${shell}`), script));
});
