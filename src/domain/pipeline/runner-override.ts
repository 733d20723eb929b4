import { labelAt, stringAt } from '#domain/language/block-values.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Command } from './command.ts';
import type { RunnerTemplates } from './compile-context.ts';
import { readDockerArgs } from './docker-args.ts';
import { readEnvironmentVariables } from './environment.ts';
import { attributesOf, checkImage, type ReadingContext } from './read-command.ts';

/** Turns a command of a type into what the type's `runner` block makes of it. */
export type RunnerOverride = (command: Command) => Command;

/**
 * `runner "docker" { image = … }` in a type. Undefined after reporting what is wrong with it. Whether all
 * commands use exec is checked where they are known: `refuseOverride`.
 */
export function readOverride(block: ReadBlock, context: ReadingContext): RunnerOverride | undefined {
  const name = labelAt(block, 0).text;
  const templates = context.runners.get(name);
  if (templates === 'broken') return undefined;
  const isDocker = !templates && name === 'docker';
  const { env } = readEnvironmentVariables(
    block,
    context.report,
    isDocker ? readDockerArgs(block, context.report).variables : [],
  );
  const change = templates ? takeTemplates(block, name, templates) : takeImage(block, name, context);
  // What the command itself sets takes precedence.
  return (
    change &&
    ((command) => ({ ...change(command), ...((env ?? command.env) && { env: { ...env, ...command.env } }) }))
  );
}

function takeTemplates(block: ReadBlock, name: string, templates: RunnerTemplates): RunnerOverride {
  const attributes = attributesOf(block);
  const { path, args } = templates;
  return (command) => {
    const program = programOf(command);
    const known = { ...attributes, path: program.path };
    return { runner: 'custom', name, path, args, attributes: known, callerArgs: program.args };
  };
}

function takeImage(block: ReadBlock, name: string, context: ReadingContext): RunnerOverride | undefined {
  if (name === 'exec') return (command) => command;
  const image = stringAt(block, 'image');
  if (!image || !checkImage(image, context)) return undefined;
  return (command) =>
    command.runner === 'shell' && 'cmd' in command
      ? { runner: 'docker', image: image.text, cmd: command.cmd }
      : { runner: 'docker', image: image.text, ...programOf(command) };
}

/**
 * A command as exec has it. The scripts of built-in types count as such: a shell with the script as argument.
 */
export function programOf(command: Command): { path: string; args: string[] } {
  if (command.runner === 'custom')
    return { path: command.attributes['path'] ?? '', args: command.callerArgs };
  if ('path' in command) return { path: command.path, args: command.args };
  // Only the image knows; an override of such a command has been refused.
  if ('entrypoint' in command) return { path: '', args: [] };
  const shell = 'shell' in command ? command.shell : undefined;
  if ('cmd' in command) return { path: shell ?? '/bin/sh', args: ['-ec', command.cmd] };
  return shell === undefined ? { path: command.file, args: [] } : { path: shell, args: [command.file] };
}
