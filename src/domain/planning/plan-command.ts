import type { Command } from '#domain/pipeline/pipeline.ts';
import { isRunnable, WORKER } from './containers.ts';
import { fillTemplates } from './fill-templates.ts';
import type { PlanCommand, PlanContainer } from './plan.ts';

/**
 * Scripts become files, so that `ps` never shows a secret in the text of a script. `workdir` undefined: the
 * command runs in a directory that is only known later.
 */
export function planCommand(
  command: Command | undefined,
  containers: PlanContainer[],
  workdir?: string,
): PlanCommand | undefined {
  if (command === undefined || !isRunnable(command)) return undefined;
  if (command.runner === 'exec') return { container: WORKER, argv: [command.path, ...command.args] };
  if (command.runner === 'shell') return planShell(command);
  if (command.runner === 'custom') {
    const { path, args } = fillTemplates(command, workdir);
    return { container: WORKER, argv: [path, ...args] };
  }
  const container = containerFor(command.image, containers);
  return 'cmd' in command
    ? { container, argv: ['/bin/sh', '-e'], script: command.cmd }
    : { container, argv: [command.path, ...command.args] };
}

function planShell(command: Command & { runner: 'shell' }): PlanCommand {
  if ('cmd' in command) {
    return { container: WORKER, argv: [command.shell ?? '/bin/sh', '-e'], script: command.cmd };
  }
  if (command.shell !== undefined) return { container: WORKER, argv: [command.shell, command.file] };
  return { container: WORKER, argv: [command.file], makeExecutable: true };
}

function containerFor(image: string, containers: PlanContainer[]): string {
  const container = containers.find((candidate) => candidate.image === image);
  if (!container) throw new Error(`no container of the Pod has the image ${image}`);
  return container.name;
}

/** Environment of a command: the variables of its runner, then its own. */
export function commandEnvironment(command: Command | undefined): Record<string, string> {
  return command === undefined ? {} : { ...runnerEnvironment(command), ...command.env };
}

/** Variables that a runner adds: `$path` and `$args`, and all attributes of a custom runner. */
function runnerEnvironment(command: Command): Record<string, string> {
  if (command.runner === 'custom') return { ...command.attributes, args: command.callerArgs.join(' ') };
  return 'path' in command ? { path: command.path, args: command.args.join(' ') } : {};
}

/** Values of one kind, as variables: `param_<name>`, `version_<key>`, `put_<key>`. */
export function prefixed(prefix: string, values: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [`${prefix}${key}`, value]));
}
