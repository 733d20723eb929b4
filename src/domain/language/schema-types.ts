import {
  bool,
  once,
  parameters,
  text,
  texts,
  type AttributeSchema,
  type BlockSchema,
} from './block-schema.ts';
import { command, readyCheck, runnerOverride, templates } from './schema-commands.ts';

const source: Readonly<Record<string, AttributeSchema>> = {
  source: text('`svc://<name>` or a URL: the definition is there'),
  source_digest: text('`sha256:<hex>` that the fetched text must have'),
};
const params = texts('names of the parameters that it takes');
const runner = once(runnerOverride, 'runs the commands of the type, which must all use `exec`');

export const resourceType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params, cache: bool('resources of the type get `$CACHE_DIR`, kept between runs') },
  blocks: {
    check: once(command, 'prints the versions as a JSON array of objects, oldest first'),
    pull: once(command, 'brings one version into the working directory; runs for `get`'),
    push: once(command, 'publishes; runs for `put`'),
    runner,
  },
};

export const resource: BlockSchema = {
  labels: ['type', 'name'],
  attributes: {
    check_interval: text('cron expression in UTC, or `@every <duration>` of at least 10 seconds'),
    webhook_interval: text(
      'the same, for when a webhook has been seen to work: checks are then only a fallback',
    ),
    cache: bool('overrides `cache` of the type'),
    tags: texts('workers that its checks need, all of them; at most 10'),
    old_name: text(
      'name that the resource had before, without or with its type: versions, pins and the webhook token follow',
    ),
    for_each: { type: 'value', about: 'a set of strings or a map: one resource for each element' },
  },
  blocks: { params: once(parameters, 'parameters, as the type lists them') },
};

export const notificationType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: { notify: once(command, 'sends the message'), runner },
};

export const notification: BlockSchema = {
  labels: ['type', 'name'],
  attributes: {
    message: text('text in `$NOTIFY_MESSAGE`; `$NAME` and `$${NAME}` are filled in when it is sent'),
    on: texts('events that send it by themselves', { choices: ['success', 'failure', 'cancel', 'all'] }),
    jobs: texts('only these jobs, or groups of them'),
    exclude: texts('all jobs but these'),
  },
  blocks: { params: once(parameters, 'parameters, as the type lists them') },
};

export const runnerType: BlockSchema = {
  labels: ['name'],
  attributes: source,
  blocks: { run: once(templates, 'what a command of the runner runs') },
};

export const secretType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: { get: once(command, 'prints a JSON object on the last line'), runner },
  open: 'text',
};

export const serviceType: BlockSchema = {
  labels: ['name'],
  attributes: { ...source, params },
  blocks: {
    start: once(command, 'starts the service'),
    stop: once(command, 'stops it at the end of the build'),
    ready_check: once(readyCheck, 'succeeds when the service can be used'),
    runner,
  },
};
