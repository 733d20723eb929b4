import { bool, duration, integer, nested, once, string, strings, type BlockSchema } from './block-schema.ts';
import { hooks, steps, triggerHook } from './schema-steps.ts';

const input: BlockSchema = {
  labels: ['name'],
  attributes: {
    type: {
      type: 'keyword',
      about: 'Type of the value that people enter.',
      required: true,
      choices: ['string', 'number', 'bool', 'choice', 'list'],
    },
    description: string('Help text in the form.'),
    default: {
      type: 'constant',
      about:
        'Value for builds that are started without the form. Default: empty, `0`, `false` or the first option.',
    },
    options: strings(
      'Values to choose from. `choice` requires them; a `string` with options becomes a choice.',
    ),
  },
  blocks: {},
};

const approve: BlockSchema = {
  labels: ['label'],
  attributes: {
    approvals: integer('Number of people who must approve. Default: 1.', 1, 100),
    timeout: duration('Time to wait for approval; after it, the build fails. Default: no limit.'),
    not_by_trigger: bool('The person who triggered the build cannot approve it.'),
  },
  blocks: {
    notify: nested(
      {
        labels: ['type', 'name'],
        attributes: { message: string('Text to send instead of the message of the notification.') },
        blocks: {},
        open: 'text',
      },
      'Sends a notification when the build starts to wait.',
    ),
  },
};

const identityBody: Omit<BlockSchema, 'labels'> = {
  attributes: {
    audience: string('Who accepts the token, for example `sts.amazonaws.com`. It becomes the claim `aud`.', {
      required: true,
    }),
  },
  blocks: {},
};
const identity: BlockSchema = {
  ...identityBody,
  labels: ['name'],
  unlabelled: { ...identityBody, labels: [] },
};

const cache: BlockSchema = {
  labels: ['name'],
  attributes: {
    path: string('What is kept, in the working directory: `app/node_modules`.', { required: true }),
    key: string(
      'What the files depend on. It can contain `$GET_…`, `$TASK_…` and `$BUILD_…`. ' +
        'Without an entry of this key, the newest one is restored whose key starts with the same text ' +
        'up to the first `$`.',
      { required: true },
    ),
  },
  blocks: {},
};

const matrix: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'lists' };

export const job: BlockSchema = {
  labels: ['name'],
  attributes: {
    concurrency: integer('Maximum number of running builds of the job. Default: 0, no maximum.', 0, 1000),
    timeout: duration('Time for all steps together. Default: `6h`.'),
    tags: strings('Worker tags: the Pod needs a node that has all of them. At most 10.'),
    serial_groups: strings('Jobs with a group in common never run at the same time. At most 10.'),
    disable_retry: bool('Nobody can retry a build of the job.'),
    allow_failure: bool('A failed build ends as a warning, and `passed` counts it as good.'),
    interruptible: bool('A new build cancels the older builds of the job, of the same request or branch.'),
    supersede: bool('Newer versions replace an automatic build that has not started. Default: true.'),
    old_name: string(
      'Previous name of the job or group. Its builds, `passed` history and pauses move to the new name.',
    ),
    for_each: {
      type: 'value',
      about: 'Creates one job for each element, for example `toset(["unit", "e2e"])`.',
    },
  },
  blocks: {
    ...steps,
    matrix: once(matrix, 'Lists of values by name. Creates one job for each combination.'),
    input: nested(input, 'Field of the form that people fill in to trigger the job.'),
    identity: nested(
      identity,
      'Gives steps a signed token that identifies the build, in `$MILLRACE_ID_TOKEN`, ' +
        'or with a name in `$MILLRACE_ID_TOKEN_<NAME>`. At most 5.',
    ),
    cache: nested(
      cache,
      'Files that later builds of the job find again, such as dependencies. They are restored at this place ' +
        'among the steps, and saved after them if all succeeded. At most 5.',
    ),
    approve: once(approve, 'Approvals that a build needs before it starts.'),
    ...hooks,
    on_trigger: nested(
      triggerHook,
      'Runs for a new version that could reach the job, directly or through `passed`, before any build. ' +
        '`$version_<key>` are the fields of that version.',
    ),
  },
};
