import {
  bool,
  duration,
  environment,
  integer,
  nested,
  once,
  parameters,
  text,
  texts,
  type AttributeSchema,
  type BlockSchema,
  type NestedSchema,
} from './block-schema.ts';
import { command } from './schema-commands.ts';

const env = environment;

const attempts: Readonly<Record<string, AttributeSchema>> = {
  timeout: duration('time for one attempt'),
  attempts: integer('how often the step is tried before it has failed; otherwise once', 1, 100),
};

const getAttributes = {
  trigger: bool('a new version starts a build'),
  passed: texts('jobs, or groups of them, whose good builds must have used the same version'),
  version: text(
    '`every` skips no version, `latest` takes the newest; otherwise a trigger without `passed` skips none',
    { choices: ['every', 'latest'] },
  ),
};
const taskAttributes = {
  inputs: texts('paths in the working directory that must exist before'),
  outputs: texts('paths that must exist after'),
};
const message = text('text instead of the notification’s own');

const run: NestedSchema = { ...once(command, 'what it runs'), required: true };
const putParams = once(parameters, 'more parameters, for names that mean something else');

const resource = text(
  'in place of the labels: `<type>.<name>` of the resource, where `${…}` can be used; a label is then the name of the step',
  { required: true },
);

/** The resource is named by two labels, or by the attribute `resource` beside at most one. */
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

/** Steps inside a hook: without hooks of their own. */
const hookSteps: Readonly<Record<string, NestedSchema>> = {
  task: nested(
    { labels: ['name'], attributes: { ...taskAttributes, env, ...attempts }, blocks: { run } },
    'a command of its own name',
  ),
  put: nested(
    ofResource({ attributes: { env, ...attempts }, blocks: { params: putParams }, open: 'text' }),
    'publishes to a resource',
  ),
  notify: nested(
    { labels: ['type', 'name'], attributes: { message, ...attempts }, blocks: {}, open: 'text' },
    'sends a notification',
  ),
};

/** With a label a command, without one a block of steps. */
const hook: BlockSchema = {
  ...command,
  unlabelled: {
    labels: [],
    attributes: {},
    blocks: hookSteps,
    misplaced: { get: 'a hook gets nothing: get before it, in the job' },
  },
};

export const triggerHook: BlockSchema = {
  ...command,
  unlabelled: {
    labels: [],
    attributes: {},
    blocks: {
      notify: nested(
        { labels: ['type', 'name'], attributes: { message }, blocks: {}, open: 'text' },
        'sends a notification',
      ),
    },
    misplaced: {
      put: 'on_trigger runs before there is a build: it may only notify or run a command',
      task: 'on_trigger runs before there is a build: it may only notify or run a command',
    },
  },
};

export const hooks: Readonly<Record<string, NestedSchema>> = {
  on_success: nested(hook, 'runs after success'),
  on_failure: nested(hook, 'runs after a failure, a timeout among them'),
  on_cancel: nested(hook, 'runs when the build was cancelled'),
  ensure: nested(hook, 'runs at the end, whatever happened'),
};

const get = ofResource({ attributes: { ...getAttributes, env, ...attempts }, blocks: hooks });

const task: BlockSchema = {
  labels: ['name'],
  attributes: { ...taskAttributes, env, ...attempts },
  blocks: { run, ...hooks },
};

const put = ofResource({
  attributes: { env, ...attempts },
  blocks: { params: putParams, ...hooks },
  open: 'text',
});

const notify: BlockSchema = {
  labels: ['type', 'name'],
  attributes: { message, ...attempts },
  blocks: hooks,
  open: 'text',
};

const service: BlockSchema = { labels: ['type'], attributes: {}, blocks: {}, open: 'text' };

const actions: Readonly<Record<string, NestedSchema>> = {
  get: nested(get, 'chooses a version of a resource and brings it into the working directory'),
  task: nested(task, 'runs a command'),
  put: nested(put, 'publishes to a resource'),
  notify: nested(notify, 'sends a notification'),
};

const parallel: BlockSchema = {
  labels: [],
  attributes: {
    limit: integer('how many steps run at a time; otherwise, or with 0, all of them', 0, 1000),
    fail_fast: bool('the first failure cancels the others'),
    ...attempts,
  },
  blocks: { ...actions, ...hooks },
  misplaced: {
    service: 'services start before all steps: write it in the job itself',
    in_parallel: 'groups are not nested: put all steps into one',
    if: 'steps of a group run unconditionally: write the if around the group',
  },
};

const stepBlocks: Record<string, NestedSchema> = {
  ...actions,
  service: nested(service, 'runs beside the steps until the build ends'),
  in_parallel: nested(parallel, 'runs steps side by side'),
};

const otherwise: BlockSchema = { labels: [], attributes: {}, blocks: stepBlocks };

const condition = text('the condition, where `${…}` can be used; with it the label is only a name');

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

Object.assign(stepBlocks, {
  if: nested(conditional, 'runs its steps when a condition holds'),
  else_if: nested(conditional, 'the same, when those before did not hold'),
  else: nested(otherwise, 'runs its steps when none of those before held'),
});

/** What a job, or a branch of it, does in the order of the text. */
export const steps: Readonly<Record<string, NestedSchema>> = stepBlocks;
