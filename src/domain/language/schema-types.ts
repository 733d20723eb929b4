import {
  bool,
  once,
  parameters,
  string,
  strings,
  values,
  type AttributeSchema,
  type BlockSchema,
} from './block-schema.ts';
import { command, readyCheck, runnerOverride, templates } from './schema-commands.ts';

const source: Readonly<Record<string, AttributeSchema>> = {
  source: string('Where the definition is: `svc://<name>` for a built-in one, or a URL.'),
  source_digest: string('Digest that the fetched text must have: `sha256:<hex>`.'),
};
const params = strings('Names of the parameters that the type accepts.');
const runner = once(runnerOverride, 'Runs all commands of the type, which must use `exec`.');

const PROTOCOLS = ['concourse'] as const;

export const resourceType: BlockSchema = {
  labels: ['name'],
  attributes: {
    ...source,
    params,
    cache: bool('Gives resources of the type the directory `$CACHE_DIR`, which persists between runs.'),
    protocol: string(
      'How Millrace calls the programs of `image`, instead of commands: `concourse` for a resource type of ' +
        'Concourse.',
      { choices: PROTOCOLS },
    ),
    image: string('Image with the programs of the type. Required with `protocol`, and only allowed with it.'),
  },
  blocks: {
    check: once(command, 'Finds versions: prints a JSON array of objects, oldest first.'),
    pull: once(command, 'Pulls one version into the working directory. Runs for `get`.'),
    push: once(command, 'Pushes to the resource. Runs for `put`.'),
    runner,
  },
};

export const resource: BlockSchema = {
  labels: ['type', 'name'],
  attributes: {
    check_interval: string(
      'When to check: a cron expression, or `@every <duration>` of at least `10s`. ' +
        'Default: no scheduled checks.',
    ),
    webhook_interval: string(
      'Replaces `check_interval` once a webhook has brought a version, because checks are then only a fallback.',
    ),
    time_zone: string(
      'Time zone of the cron expressions, such as `Europe/Berlin`. Default: UTC. At a change of the ' +
        'clocks, a time may come twice or not at all.',
    ),
    cache: bool('Overrides `cache` of the resource type.'),
    tags: strings('Worker tags: the Pods of checks need a node that has all of them. At most 10.'),
    old_name: string(
      'Previous name of the resource, `<name>` or `<type>.<name>`. ' +
        'Its versions, pins and webhook token move to the new name.',
    ),
    for_each: {
      type: 'value',
      about: 'Creates one resource for each element, for example `toset(var.services)`.',
    },
  },
  blocks: {
    params: once(
      values,
      'Values of the parameters that the type declares. For a type with `protocol`, its `source`: then ' +
        'values can also be lists and maps.',
    ),
  },
};

export const notificationType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: { notify: once(command, 'Sends the message in `$NOTIFY_MESSAGE`.'), runner },
};

export const notification: BlockSchema = {
  labels: ['type', 'name'],
  attributes: {
    message: string('Text of the message. Millrace replaces `$NAME` and `$${NAME}` when it sends it.'),
    on: strings('Outcomes of builds that send it automatically.', {
      choices: ['success', 'failure', 'cancel', 'changed', 'all'],
    }),
    jobs: strings('Jobs or groups of jobs that send it. Default: all. `on` is required.'),
    exclude: strings('Jobs or groups of jobs that do not send it. `on` is required.'),
  },
  blocks: { params: once(parameters, 'Values of the parameters that the type declares.') },
};

export const runnerType: BlockSchema = {
  labels: ['name'],
  attributes: source,
  blocks: { run: once(templates, 'Program and arguments of every command that uses the runner.') },
};

export const secretType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: { get: once(command, 'Fetches the secret: the last line of its output is a JSON object.'), runner },
  open: 'text',
};

export const serviceType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: {
    start: once(command, 'Starts the service.'),
    stop: once(command, 'Stops the service when the build ends.'),
    ready_check: once(readyCheck, 'Succeeds when the service is ready. The steps wait for it.'),
    runner,
  },
};
