import { defined } from '#defined';
import type { Command, CustomCommand } from '#domain/pipeline/command.ts';
import { fillTemplates } from './fill-templates.ts';
import type { PlanCommand, PlanContainer } from './plan.ts';
import { isRunnable } from './runnable.ts';

/**
 * How a command runs in its container. Undefined: there is nothing to run. Scripts become files, so that `ps`
 * never shows a secret in the text of a script. `workdir` undefined: the command runs in a directory that is
 * only known later.
 */
export function planCommand(
  command: Command | undefined,
  containers: PlanContainer[],
  workdir?: string,
): PlanCommand | undefined {
  if (command === undefined || !isRunnable(command)) return undefined;
  const container = containerFor(command, containers);
  switch (command.runner) {
    case 'exec':
      return { container, argv: [command.path, ...command.args] };
    case 'shell':
      return { container, ...planShell(command) };
    case 'custom':
      return { container, ...planCustom(command, workdir) };
    case 'docker':
      return { container, ...planDocker(command) };
    default:
      throw new Error('a command of unknown runner');
  }
}

function planShell(command: Command & { runner: 'shell' }): Omit<PlanCommand, 'container'> {
  if ('cmd' in command) return { argv: [command.shell ?? '/bin/sh', '-e'], script: command.cmd };
  if (command.shell !== undefined) return { argv: [command.shell, command.file] };
  return { argv: [command.file], makeExecutable: true };
}

function planDocker(command: Command & { runner: 'docker' }): Omit<PlanCommand, 'container'> {
  if ('cmd' in command) return { argv: ['/bin/sh', '-e'], script: command.cmd };
  return { argv: 'path' in command ? [command.path, ...command.args] : [] };
}

function planCustom(command: CustomCommand, workdir: string | undefined): Omit<PlanCommand, 'container'> {
  const { path, args, environmentAt } = fillTemplates(command, workdir);
  const positionsInArgv = environmentAt.map((index) => index + 1);
  return {
    argv: [path, ...args],
    ...defined({ environmentAt: positionsInArgv.length === 0 ? undefined : positionsInArgv }),
  };
}

/**
 * All containers in which a command may run, without those of a service or of a single resource. Empty: there
 * is nothing to run.
 */
export function containersOfCommand(command: Command, containers: readonly PlanContainer[]): string[] {
  if (!isRunnable(command)) return [];
  const poolName = containerFor(
    command,
    containers.filter(
      ({ service, volume, resource }) =>
        service === undefined && volume === undefined && resource === undefined,
    ),
  );
  return containers.filter(({ name, pool }) => (pool ?? name) === poolName).map(({ name }) => name);
}

/**
 * The name of the container in which the command runs, or of the pool if several containers have its image.
 */
function containerFor(command: Command, containers: readonly PlanContainer[]): string {
  const image = command.runner === 'docker' ? command.image : undefined;
  const container = containers.find(
    (candidate) => candidate.image === image && candidate.forSecrets !== true,
  );
  if (!container) throw new Error(`no container of the Pod has the image ${image ?? 'of the worker'}`);
  return container.pool ?? container.name;
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
