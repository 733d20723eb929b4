import { nested, once, string, type BlockSchema } from './block-schema.ts';
import { job } from './schema-job.ts';
import {
  notification,
  notificationType,
  resource,
  resourceType,
  runnerType,
  secretType,
  serviceType,
} from './schema-types.ts';

const secret: BlockSchema = {
  labels: ['type'],
  attributes: {
    path: string('Where the secret type finds the secret, for example the name of a Secret.', {
      secret: true,
    }),
    key: string('Which value of the secret to use.', { required: true, secret: true }),
  },
  blocks: {},
};

const variable: BlockSchema = {
  labels: ['name'],
  attributes: {
    type: {
      type: 'type',
      about: 'Type of the value, for example `string` or `list(string)`.',
      required: true,
    },
    default: { type: 'constant', about: 'Value if the manifest gives none.' },
  },
  blocks: {
    secret: once(secret, 'Makes the variable secret. A secret type reads the value when a Pod needs it.'),
  },
};

const types = {
  resource_type: nested(resourceType, 'Defines how resources of a type are checked, pulled and pushed.'),
  notification_type: nested(notificationType, 'Defines how notifications of a type are sent.'),
  runner_type: nested(runnerType, 'Defines a runner: how commands run.'),
  secret_type: nested(secretType, 'Defines how secrets of a type are read.'),
  service_type: nested(serviceType, 'Defines a service that can run beside the steps of a build.'),
};

/** The schema of a text that is fetched through the attribute `source` of a type. */
export const typeSchema: BlockSchema = { labels: [], attributes: {}, blocks: types };

/**
 * The whole language as one table. Millrace validates pipelines against it and generates the reference from
 * it.
 */
export const pipelineSchema: BlockSchema = {
  labels: [],
  attributes: {},
  blocks: {
    variable: nested(variable, 'Declares a value that the manifest can set.'),
    resource_type: types.resource_type,
    resource: nested(
      resource,
      'Declares something outside that has versions: a repository, an image, a clock.',
    ),
    job: nested(job, 'Declares steps that run as one build.'),
    notification_type: types.notification_type,
    notification: nested(notification, 'Declares where messages go, for example one chat channel.'),
    runner_type: types.runner_type,
    secret_type: types.secret_type,
    service_type: types.service_type,
  },
};
