import { bool, duration, integer, nested, once, text, texts, type BlockSchema } from './block-schema.ts';
import { hooks, steps, triggerHook } from './schema-steps.ts';

const input: BlockSchema = {
  labels: ['name'],
  attributes: {
    type: {
      type: 'keyword',
      about: 'what can be entered',
      required: true,
      choices: ['string', 'number', 'bool', 'choice', 'list'],
    },
    description: text('what the form says of it'),
    default: {
      type: 'constant',
      about: 'for builds that nobody fills in a form for; otherwise empty, `0`, `false`, the first option',
    },
    options: texts('what can be chosen; needed by `choice`, and makes a `string` one'),
  },
  blocks: {},
};

const approve: BlockSchema = {
  labels: ['label'],
  attributes: {
    approvals: integer('how many people must agree; otherwise 1', 1, 100),
    timeout: duration('after this time the build fails; otherwise it waits'),
    not_by_trigger: bool('whoever triggered the build cannot agree to it'),
  },
  blocks: {
    notify: nested(
      {
        labels: ['type', 'name'],
        attributes: { message: text('text instead of the notification’s own') },
        blocks: {},
        open: 'text',
      },
      'sends a notification when the build begins to wait',
    ),
  },
};

const matrix: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'lists' };

export const job: BlockSchema = {
  labels: ['name'],
  attributes: {
    concurrency: integer('running builds at a time; otherwise, or with 0, any number', 0, 1000),
    timeout: duration('time for all steps; otherwise 6 hours'),
    tags: texts('workers that the job needs, all of them; at most 10'),
    serial_groups: texts('jobs that share a group do not run at the same time'),
    disable_retry: bool('a build cannot be repeated'),
    allow_failure: bool('a failed build is a warning, and counts as good for `passed`'),
    interruptible: bool('a new build cancels the older ones'),
    supersede: bool('a newer set of versions replaces an automatic build that has not begun; otherwise true'),
    old_name: text(
      'name that the job had before: builds, `passed` and pauses follow; of a group, the name of the group',
    ),
    for_each: { type: 'value', about: 'a set of strings or a map: one job for each element' },
  },
  blocks: {
    ...steps,
    matrix: once(matrix, 'lists by name: one job for each combination'),
    input: nested(input, 'a field of the form before a manual trigger'),
    approve: once(approve, 'people who must agree before the build starts'),
    ...hooks,
    on_trigger: nested(
      triggerHook,
      'runs before there is a build, for each job that a new version may reach',
    ),
  },
};
