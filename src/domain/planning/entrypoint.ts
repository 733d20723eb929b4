/**
 * How containers of an image start. The user and the environment of the image are absent: the container
 * runtime applies them.
 */
export interface ImageConfiguration {
  entrypoint: string[];
  cmd: string[];
  /** Absent: `/`. */
  workingDir?: string;
}

/** What a Pod sets for a container in place of the defaults of its image. An empty list counts as absent. */
export interface ContainerCommand {
  command?: readonly string[];
  args?: readonly string[];
}

export type EntrypointDecision =
  | { answer: 'runs'; argv: [string, ...string[]] }
  | { answer: 'refused'; reason: string };

/**
 * What runs in a container, by Kubernetes' rules: `command` replaces entrypoint and cmd of the image, `args`
 * replace its cmd only. If the image's program has a relative path, it is relative to the image's working
 * directory, because steps run in another directory.
 */
export function entrypointOf(
  image: ImageConfiguration,
  { command = [], args = [] }: ContainerCommand = {},
): EntrypointDecision {
  const usesImageProgram = command.length === 0;
  const program = usesImageProgram ? image.entrypoint : command;
  const defaults = usesImageProgram ? image.cmd : [];
  const [first = '', ...otherArguments] = [...program, ...(args.length === 0 ? defaults : args)];
  if (first === '') return { answer: 'refused', reason: NO_PROGRAM };
  return {
    answer: 'runs',
    argv: [usesImageProgram ? resolveInWorkingDir(first, image) : first, ...otherArguments],
  };
}

function resolveInWorkingDir(program: string, { workingDir = '/' }: ImageConfiguration): string {
  const isRelative = program.includes('/') && !program.startsWith('/');
  return isRelative ? `${workingDir.replace(/\/$/, '')}/${program}` : program;
}

const NO_PROGRAM = 'it has neither an entrypoint nor a command. Write cmd.';
