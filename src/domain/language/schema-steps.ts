import {
  bool,
  duration,
  environment,
  integer,
  nested,
  once,
  string,
  strings,
  values,
  type AttributeSchema,
  type BlockSchema,
  type NestedSchema,
} from './block-schema.ts';
import { command } from './schema-commands.ts';

const env = environment;

const attemptAttributes: Readonly<Record<string, AttributeSchema>> = {
  timeout: duration('Time for one attempt of the step.'),
  attempts: integer('Number of tries before the step fails. Default: 1.', 1, 100),
};

const getAttributes = {
  trigger: bool('A new version starts a build. Default: false.'),
  passed: strings(
    'Jobs or groups of jobs. The get takes only versions that a successful build of each of them took or made.',
  ),
  version: string(
    '`every` builds each version, `latest` only the newest. ' +
      'Default: `every` if `trigger` is set without `passed`, otherwise `latest`.',
    { choices: ['every', 'latest'] },
  ),
};
const taskAttributes = {
  inputs: strings('Paths in the working directory that must exist before the task runs.'),
  outputs: strings('Paths in the working directory that must exist after the task has run.'),
};
const misplacedParams = { params: 'write its attributes in the step itself, as <name> = <value>' };
const message = string('Text to send instead of the message of the notification.');

const run: NestedSchema = { ...once(command, 'Command of the task.'), required: true };
const putParams = once(
  values,
  'More parameters. Needed for names that the step itself uses, such as `timeout`.',
);
const getParams = once(values, 'Parameters of the get, for a resource whose type has a `protocol`.');

const resource = string(
  'Resource as `<type>.<name>`, instead of the two labels. It can contain `${…}`. ' +
    'The step can then have one label: its name.',
  { required: true },
);

/**
 * The schema of a step with a resource. The step names the resource by two labels, or by the attribute
 * `resource` and at most one label.
 */
const ofResource = (schema: Omit<BlockSchema, 'labels'>): BlockSchema => ({
  ...schema,
  labels: ['type', 'name'],
  shorter: {
    attribute: 'resource',
    schema: {
      ...schema,
      labels: ['name'],
      optionalLabels: true,
      attributes: { resource, ...schema.attributes },
    },
  },
});

/** The steps that a hook can contain. They cannot have hooks of their own. */
const hookSteps: Readonly<Record<string, NestedSchema>> = {
  task: nested(
    { labels: ['name'], attributes: { ...taskAttributes, env, ...attemptAttributes }, blocks: { run } },
    'Runs a command.',
  ),
  put: nested(
    ofResource({ attributes: { env, ...attemptAttributes }, blocks: { params: putParams }, open: 'values' }),
    'Pushes to a resource and creates a version of it.',
  ),
  notify: nested(
    {
      labels: ['type', 'name'],
      attributes: { message, ...attemptAttributes },
      blocks: {},
      open: 'text',
      misplaced: misplacedParams,
    },
    'Sends a notification.',
  ),
};

/** A hook. With a label it is a command, without labels a block of steps. */
const hook: BlockSchema = {
  ...command,
  unlabelled: {
    labels: [],
    attributes: {},
    blocks: hookSteps,
    misplaced: { get: 'a hook cannot get, so get the resource in the job' },
  },
};

/** The hook `on_trigger` of a job. */
export const triggerHook: BlockSchema = {
  ...command,
  unlabelled: {
    labels: [],
    attributes: {},
    blocks: {
      notify: nested(
        {
          labels: ['type', 'name'],
          attributes: { message },
          blocks: {},
          open: 'text',
          misplaced: misplacedParams,
        },
        'Sends a notification.',
      ),
    },
    misplaced: {
      put: 'on_trigger runs before there is a build, so it can only notify or run a command',
      task: 'on_trigger runs before there is a build, so it can only notify or run a command',
    },
  },
};

export const hooks: Readonly<Record<string, NestedSchema>> = {
  on_success: nested(hook, 'Runs after success.'),
  on_failure: nested(hook, 'Runs after a failure or a timeout.'),
  on_cancel: nested(hook, 'Runs if the build was cancelled.'),
  ensure: nested(hook, 'Runs last, whatever the outcome.'),
};

const get = ofResource({
  attributes: { ...getAttributes, env, ...attemptAttributes },
  blocks: { params: getParams, ...hooks },
});

const task: BlockSchema = {
  labels: ['name'],
  attributes: { ...taskAttributes, env, ...attemptAttributes },
  blocks: { run, ...hooks },
};

const put = ofResource({
  attributes: { env, ...attemptAttributes },
  blocks: { params: putParams, ...hooks },
  open: 'values',
});

const notify: BlockSchema = {
  labels: ['type', 'name'],
  attributes: { message, ...attemptAttributes },
  blocks: hooks,
  open: 'text',
  misplaced: misplacedParams,
};

const service: BlockSchema = {
  labels: ['type'],
  attributes: {
    timeout: duration(
      'Time from the start of the service until it is ready. Without it, the start alone may take `10m`, ' +
        'and the readiness check has a timeout of its own.',
    ),
  },
  blocks: {},
  open: 'text',
  misplaced: misplacedParams,
};

const actions: Readonly<Record<string, NestedSchema>> = {
  get: nested(get, 'Takes a version of a resource and pulls it into the working directory.'),
  task: nested(task, 'Runs a command.'),
  put: nested(put, 'Pushes to a resource and creates a version of it.'),
  notify: nested(notify, 'Sends a notification.'),
};

const parallel: BlockSchema = {
  labels: [],
  attributes: {
    limit: integer('Maximum number of steps that run at the same time. Default: 0, no maximum.', 0, 1000),
    fail_fast: bool('The first failure cancels the other steps. Default: false.'),
    ...attemptAttributes,
  },
  blocks: { ...actions, ...hooks },
  misplaced: {
    service: 'services start before all steps, so write it in the job itself',
    in_parallel: 'groups cannot be nested, so put all steps into one',
    if: 'write the if around the group',
  },
};

const stepBlocks: Record<string, NestedSchema> = {
  ...actions,
  service: nested(service, 'Runs beside the steps until the build ends.'),
  in_parallel: nested(parallel, 'Runs steps in parallel.'),
};

const elseBranch: BlockSchema = { labels: [], attributes: {}, blocks: stepBlocks };

const condition = string('Condition that can contain `${…}`. The label is then only a name.');

const conditional: BlockSchema = {
  labels: ['condition'],
  attributes: { condition },
  blocks: stepBlocks,
  unlabelled: {
    labels: [],
    attributes: { condition: { ...condition, required: true } },
    blocks: stepBlocks,
  },
};

// These are added last, because a branch can contain all kinds of steps, even other branches.
Object.assign(stepBlocks, {
  if: nested(conditional, 'Runs its steps if the condition holds.'),
  else_if: nested(conditional, 'Runs its steps if the condition holds and no earlier one did.'),
  else: nested(elseBranch, 'Runs its steps if no earlier condition held.'),
});

/** The steps that a job or branch can contain. They run in the order of the text. */
export const steps: Readonly<Record<string, NestedSchema>> = stepBlocks;
