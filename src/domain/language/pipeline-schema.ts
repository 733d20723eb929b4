import { nested, once, text, type BlockSchema } from './block-schema.ts';
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
    path: text('where the secret type finds it', { secret: true }),
    key: text('which value of what is there', { required: true, secret: true }),
  },
  blocks: {},
};

const variable: BlockSchema = {
  labels: ['name'],
  attributes: {
    type: {
      type: 'type',
      about: '`string`, `number`, `bool`, `list(…)`, `map(…)` and so on',
      required: true,
    },
    default: { type: 'constant', about: 'value where none is given' },
  },
  blocks: { secret: once(secret, 'a secret type fills the variable in when it is used') },
};

const types = {
  resource_type: nested(resourceType, 'how a kind of resource is checked and moved'),
  notification_type: nested(notificationType, 'how a kind of message is sent'),
  runner_type: nested(runnerType, 'how commands run'),
  secret_type: nested(secretType, 'how secrets are read'),
  service_type: nested(serviceType, 'what can run beside the steps of a build'),
};

/** Definitions of types: what a fetched source may hold. */
export const typeSchema: BlockSchema = { labels: [], attributes: {}, blocks: types };

/** The whole language, as one table: it validates, and the reference is made from it. */
export const pipelineSchema: BlockSchema = {
  labels: [],
  attributes: {},
  blocks: {
    variable: nested(variable, 'a value that the manifest may give'),
    resource_type: types.resource_type,
    resource: nested(resource, 'one thing outside that has versions'),
    job: nested(job, 'steps that run as one build'),
    notification_type: types.notification_type,
    notification: nested(notification, 'one place where messages go'),
    runner_type: types.runner_type,
    secret_type: types.secret_type,
    service_type: types.service_type,
  },
};
