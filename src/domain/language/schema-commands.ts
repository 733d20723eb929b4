import {
  duration,
  environment,
  string,
  strings,
  type AttributeSchema,
  type BlockSchema,
  type Variant,
} from './block-schema.ts';

const args = strings('Arguments of the program. No shell expands them.', { secret: true });
const image = string('Image of the container. Its name must be known before the build starts.', {
  required: true,
});

const exec: Variant = {
  attributes: { path: string('Program to run, without a shell. For example `/usr/bin/make`.'), args },
};

const shell: Variant = {
  attributes: {
    cmd: string('Script to run. Set either `cmd` or `file`.', { secret: true }),
    file: string(
      'Script file in the working directory. Without `shell`, its first line names the interpreter.',
    ),
    shell: string('Program that runs the script. Default for `cmd`: `/bin/sh`.'),
  },
};

const DOCKER_FLAGS = 'Docker flags. A Pod supports `-e NAME=value` and `--network=host`';
const dockerFlags = strings(`${DOCKER_FLAGS}.`, { secret: true });
const dockerFlagsOfCommand = strings(`${DOCKER_FLAGS}, and, without \`cmd\`, \`--entrypoint PROGRAM\`.`, {
  secret: true,
});

const docker: Variant = {
  attributes: {
    image,
    cmd: string(
      'Script that `/bin/sh -ec` runs in the container. Default: the entrypoint of the image runs.',
      {
        secret: true,
      },
    ),
    args: dockerFlagsOfCommand,
  },
};

const custom: Variant = { attributes: { args }, open: 'text' };

const commandSchema = (extraAttributes: Readonly<Record<string, AttributeSchema>>): BlockSchema => ({
  labels: ['runner'],
  attributes: { env: environment, ...extraAttributes },
  blocks: {},
  variants: { exec, shell, docker },
  customVariant: custom,
});

/** A block that says what to run: `run "shell" { … }`. */
export const command: BlockSchema = commandSchema({});

/** The block `ready_check` of a `service_type`. */
export const readyCheck: BlockSchema = commandSchema({
  interval: duration('Pause after a failed run of the command, before it runs again. Default: `1s`.'),
  timeout: duration(
    'Time in which the command must succeed once, however often it runs. Otherwise the build fails. Default: `60s`.',
  ),
});

/**
 * The block `runner` in a `resource_type` or another type, such as `runner "docker" { … }`. All commands of
 * the type run with this runner.
 */
export const runnerOverride: BlockSchema = {
  labels: ['runner'],
  attributes: { env: environment },
  blocks: {},
  variants: {
    exec: { attributes: {} },
    docker: { attributes: { image, args: dockerFlags } },
  },
  customVariant: { attributes: {}, open: 'text' },
};

/**
 * The block `run` of a `runner_type`: the program and its arguments, in which names are replaced for each
 * command.
 */
export const templates: BlockSchema = {
  labels: [],
  attributes: {
    path: string(
      'Program to run. `$<name>` is an attribute of the calling block, `$WORKDIR` the working directory.',
      { required: true },
    ),
    args: strings(
      'Arguments, with the same replacements. The element `$args` becomes the `args` of the calling block, ' +
        'and `$env` becomes one `-e NAME=value` for each environment variable.',
    ),
  },
  blocks: {},
};
