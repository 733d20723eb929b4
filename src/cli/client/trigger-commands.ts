import { Command } from 'commander';
import { listOutputOption, outputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import { addServerOptions, EXIT_CODES_HELP, teamOption } from './client-options.ts';
import type { TriggersOptions } from './emit-triggers.ts';

/** Commands for the trigger streams of a team. */
export function triggersCommand(run: Run): Command {
  const group = new Command('triggers').description('events for resources of the type trigger: emit, list');
  for (const verb of [emitCommand, listCommand]) group.addCommand(verb(run));
  return group;
}

const addTeamOptions = (command: Command, makeOutput = outputOption): Command =>
  addServerOptions(command.addOption(teamOption()).addOption(makeOutput()));

function emitCommand(run: Run): Command {
  return addTeamOptions(
    new Command('emit')
      .argument('<trigger>', 'the name of the resource, without its type')
      .argument('[fields...]', 'fields of the version, such as tag=v1.2.3'),
  )
    .description('emit an event: it triggers jobs in each pipeline of the team that declares the resource')
    .addHelpText(
      'after',
      `
The event becomes a version of resource "trigger" "<trigger>", with the fields trigger_by and
trigger_time. In jobs that get the resource, a field such as tag is $GET_<TRIGGER>_TAG.

Examples:
  millrace triggers emit released
  millrace triggers emit released tag=v1.2.3 channel=stable
${EXIT_CODES_HELP}`,
    )
    .action((trigger: string, fields: string[], options: TriggersOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { emitTriggerEvent } = await import('./emit-triggers.ts');
        return await emitTriggerEvent(trigger, fields, options, terminal);
      }),
    );
}

function listCommand(run: Run): Command {
  return addTeamOptions(
    new Command('list').argument('[trigger]', 'list the events of this one (default: list all streams)'),
    listOutputOption,
  )
    .description('list the trigger streams of a team, or the newest events of one')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace triggers list\n  millrace triggers list released --output json\n${EXIT_CODES_HELP}`,
    )
    .action((trigger: string | undefined, options: TriggersOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listTriggers } = await import('./emit-triggers.ts');
        return await listTriggers(trigger, options, terminal);
      }),
    );
}
