import {
  duration,
  environment,
  text,
  texts,
  type AttributeSchema,
  type BlockSchema,
  type Variant,
} from './block-schema.ts';

const args = texts('arguments, each as it is', { secret: true });
const image = text('image of the container; known before a build starts', { required: true });

const exec: Variant = { attributes: { path: text('program, without a shell around it'), args } };

const shell: Variant = {
  attributes: {
    cmd: text('script; either this or `file`', { secret: true }),
    file: text('script in the working directory; without `shell` it runs by its first line'),
    shell: text('program that runs the script; otherwise `/bin/sh`'),
  },
};

const flags = texts('flags of docker that mean something in a Pod: `-e NAME=value` and `--network=host`', {
  secret: true,
});

const docker: Variant = {
  attributes: {
    image,
    cmd: text('script for `/bin/sh -ec` in the container', { required: true, secret: true }),
    args: flags,
  },
};

const custom: Variant = { attributes: { args }, open: 'text' };

const withMore = (more: Readonly<Record<string, AttributeSchema>>): BlockSchema => ({
  labels: ['runner'],
  attributes: { env: environment, ...more },
  blocks: {},
  variants: { exec, shell, docker },
  customVariant: custom,
});

/** A block that says what to run: `run "shell" { … }`. */
export const command: BlockSchema = withMore({});

export const readyCheck: BlockSchema = withMore({
  interval: duration('time between two tries; otherwise `1s`'),
  timeout: duration('after this time without success the build fails; otherwise `60s`'),
});

/** `runner "docker" { … }` in a type: its commands run so. */
export const runnerOverride: BlockSchema = {
  labels: ['runner'],
  attributes: { env: environment },
  blocks: {},
  variants: {
    exec: { attributes: {} },
    docker: { attributes: { image, args: flags } },
  },
  customVariant: { attributes: {}, open: 'text' },
};

/** The templates of a runner of one's own. */
export const templates: BlockSchema = {
  labels: [],
  attributes: {
    path: text('program; `$<name>` is an attribute of the caller, `$WORKDIR` the working directory', {
      required: true,
    }),
    args: texts(
      'arguments, filled in the same way; an element `$args` becomes the caller’s `args`, `$env` one `-e NAME=value` for each variable',
    ),
  },
  blocks: {},
};
