import { describe, expect, test } from '@jest/globals';
import type { Notification, NotificationEvent, Pipeline } from '#domain/pipeline/pipeline.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import {
  decideNotificationRuns,
  MAX_BUILDS_OF_RUN,
  MAX_NOTIFICATION_AGE_SECONDS,
  type DueNotifications,
} from './due-notifications.ts';

const on = (label: string, events: NotificationEvent[], jobs?: string[]): Notification => ({
  name: `chat.${label}`,
  type: 'chat',
  label,
  params: {},
  on: events,
  ...(jobs && { jobs }),
});
const approval = {
  label: 'go',
  approvals: 1,
  notify: [{ kind: 'notify' as const, notification: 'chat.ask', params: {} }],
};
const definition: Pipeline = {
  resourceTypes: [],
  resources: [],
  jobs: [
    { name: 'ship', steps: [], approval },
    { name: 'test--unit', steps: [] },
    { name: 'test--lint', steps: [], allowFailure: true },
  ],
  notifications: [
    on('ask', []),
    on('bad', ['failure']),
    on('stop', ['cancel'], ['ship']),
    on('news', ['changed'], ['ship', 'test--lint']),
  ],
};
const due = (more: Partial<DueNotifications> = {}): DueNotifications => ({
  id: 1,
  moment: 'ended',
  team: 'main',
  pipelineId: 1,
  revision: 1,
  job: 'ship',
  status: 'failed',
  sent: [],
  ageSeconds: 0,
  definition,
  ...more,
});

/** Names of the notifications of one build. */
const sent = (more: Partial<DueNotifications>): string[] =>
  decideNotificationRuns([due(more)]).runs.flatMap(({ builds }) =>
    builds.flatMap(({ notifications }) => notifications),
  );

describe('a build without an agent sends', () => {
  test.each<[title: string, more: Partial<DueNotifications>, names: string[]]>([
    ['the notifications of its outcome and of a change', {}, ['chat.bad', 'chat.news']],
    ['no notification of a change after another failure', { previousOutcome: 'failed' }, ['chat.bad']],
    ['the notifications of a cancel', { status: 'cancelled' }, ['chat.stop']],
    [
      'the notifications of a failure for a warning',
      { job: 'test--lint', status: 'warning' },
      ['chat.bad', 'chat.news'],
    ],
    ['no notification for another instance of its group', { job: 'test--unit' }, ['chat.bad']],
    ['the notifications that its agent did not send', { sent: ['chat.bad'] }, ['chat.news']],
    ['the notifications of its gate while it waits', { moment: 'waiting', status: 'waiting' }, ['chat.ask']],
    ['nothing for its gate once it is approved', { moment: 'waiting', status: 'pending' }, []],
    ['nothing for a job without a gate', { moment: 'waiting', status: 'waiting', job: 'test--unit' }, []],
    ['nothing an hour later', { ageSeconds: MAX_NOTIFICATION_AGE_SECONDS + 1 }, []],
  ])('%s', (_title, more, names) => {
    expect(sent(more)).toEqual(names);
  });
});

const builtIn = (name: string, source = `svc://${name}`) => ({
  name,
  builtIn: true,
  params: [],
  notify: { runner: 'shell' as const, cmd: 'x' },
  origin: { source },
});

describe('whichever way a build ends without an agent, the status of its commit is set', () => {
  const names = ['commit-status.x', 'hostcheck.x'];
  const reporting: Pipeline = {
    ...definition,
    notificationTypes: [builtIn('commit-status'), builtIn('hostcheck'), builtIn('chat', 'svc://chatone')],
    notifications: [
      ...names.map((name) => ({
        ...on('x', ['success', 'failure', 'cancel']),
        name,
        type: name.slice(0, -2),
      })),
      on('all', ['success', 'failure', 'cancel']),
    ],
  };
  const ends: Record<string, BuildStatus> = {
    'a failure, a lost Pod, a rejection or an expired approval': 'failed',
    'a failure that the job allows': 'warning',
    'a cancel, or a newer build': 'cancelled',
    'a success whose report came after its Pod was lost': 'succeeded',
  };
  const cases = Object.entries(ends).flatMap(([sentence, status]) =>
    [[], [...names, 'chat.all']].map((sentByAgent) => ({
      sentence,
      status,
      sentByAgent,
      count: sentByAgent.length,
    })),
  );
  test.each(cases)('$sentence, after its agent sent $count', ({ status, sentByAgent }) => {
    const expected = sentByAgent.length === 0 ? [...names, 'chat.all'] : names;
    expect(sent({ definition: reporting, status, sent: sentByAgent })).toEqual(expected);
  });
});

describe('runs of notifications', () => {
  test('are one for each team, with builds of one job and revision, oldest first', () => {
    const { runs } = decideNotificationRuns([
      due({ id: 1 }),
      due({ id: 2, job: 'test--unit' }),
      due({ id: 3 }),
      due({ id: 4, revision: 2 }),
      due({ id: 5, team: 'other', pipelineId: 2, revision: 9 }),
    ]);
    expect(runs.map(({ pipelineId, builds }) => [pipelineId, ...builds.map(({ id }) => id)])).toEqual([
      [1, 1, 3],
      [2, 5],
    ]);
  });

  test('have a limit of builds', () => {
    const many = Array.from({ length: MAX_BUILDS_OF_RUN + 1 }, (_, id) => due({ id }));
    expect(decideNotificationRuns(many).runs.map(({ builds }) => builds.length)).toEqual([MAX_BUILDS_OF_RUN]);
  });

  test('leave out builds that send nothing, and those that are too old', () => {
    const old = due({ id: 2, ageSeconds: MAX_NOTIFICATION_AGE_SECONDS + 1 });
    expect(decideNotificationRuns([due({ status: 'succeeded', previousOutcome: 'succeeded' }), old])).toEqual(
      {
        runs: [],
        silent: [1],
        late: [{ id: 2, notifications: ['chat.bad', 'chat.news'] }],
        outdated: [],
      },
    );
  });

  test.each<[title: string, status: DueNotifications['status'], why: string]>([
    ['approved before the notification was sent', 'pending', 'the build was approved'],
    ['approved and running', 'started', 'the build was approved'],
    ['approved and done', 'succeeded', 'the build was approved'],
    ['rejected', 'failed', 'the build ended'],
    ['cancelled', 'cancelled', 'the build ended'],
  ])('leave out the request for approval of a build that is %s, and say why', (_title, status, why) => {
    expect(decideNotificationRuns([due({ moment: 'waiting', status })])).toEqual({
      runs: [],
      silent: [],
      late: [],
      outdated: [{ id: 1, notifications: ['chat.ask'], why: `Not sent: ${why} before a Pod could send it.` }],
    });
  });
});
