import { labelAt, stringAt } from '#domain/language/block-values.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Command } from './command.ts';
import type { RunnerTemplates } from './compile-context.ts';
import { readDockerArgs } from './docker-args.ts';
import { readEnvironmentVariables } from './environment.ts';
import { attributesOf, checkImage, type ReadingContext } from './read-command.ts';

/** Changes a command of a type as the `runner` block of the type says. */
export type RunnerOverride = (command: Command) => Command;

/**
 * Reads `runner "docker" { image = … }` in a type. Returns undefined after reporting an error.
 * `applyOverride` checks later that all commands of the type use exec, unless the type is built in.
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
  const changeRunner = templates
    ? overrideByTemplates(block, name, templates)
    : overrideByImage(block, name, context);
  if (!changeRunner) return undefined;
  return (command) => {
    const changed = changeRunner(command);
    if (!env && !command.env) return changed;
    // Variables of the command itself take precedence.
    return { ...changed, env: { ...env, ...command.env } };
  };
}

function overrideByTemplates(block: ReadBlock, name: string, templates: RunnerTemplates): RunnerOverride {
  const attributes = attributesOf(block);
  const { path, args } = templates;
  return (command) => {
    const program = programOf(command);
    const attributesAndPath = { ...attributes, path: program.path };
    return { runner: 'custom', name, path, args, attributes: attributesAndPath, callerArgs: program.args };
  };
}

function overrideByImage(
  block: ReadBlock,
  name: string,
  context: ReadingContext,
): RunnerOverride | undefined {
  if (name === 'exec') return (command) => command;
  const image = stringAt(block, 'image');
  if (!image || !checkImage(image, context)) return undefined;
  return (command) =>
    command.runner === 'shell' && 'cmd' in command
      ? { runner: 'docker', image: image.text, cmd: command.cmd }
      : { runner: 'docker', image: image.text, ...programOf(command) };
}

/**
 * The command as a program with arguments. A script becomes the argument of a shell, so that the scripts of
 * built-in types can be overridden too.
 */
export function programOf(command: Command): { path: string; args: string[] } {
  if (command.runner === 'custom')
    return { path: command.attributes['path'] ?? '', args: command.callerArgs };
  if ('path' in command) return { path: command.path, args: command.args };
  // Only the image knows its entrypoint. `applyOverride` refuses to override such a command.
  if ('entrypoint' in command) return { path: '', args: [] };
  const shell = 'shell' in command ? command.shell : undefined;
  if ('cmd' in command) return { path: shell ?? '/bin/sh', args: ['-ec', command.cmd] };
  return shell === undefined ? { path: command.file, args: [] } : { path: shell, args: [command.file] };
}
