import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { decideNotificationRuns } from '#domain/build/due-notifications.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Job, NotificationEvent, Pipeline } from '#domain/pipeline/pipeline.ts';
import { endBuild } from '#flows/builds/end-build.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { expireApprovals } from '#flows/builds/give-turns.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { actionsOver, type Actions } from '#testing/stores/actions.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';
import { claimNotifications } from './claim-notifications.ts';
import { followCheckPod } from './follow-check-pods.ts';
import { recordVersions } from './record-versions.ts';
import { runHooks } from './run-hooks.ts';

const APP = { team: 'main', pipeline: 'app' };
const SHIP = { ...APP, job: 'ship' };

const EVENTS: NotificationEvent[] = ['success', 'failure', 'cancel', 'changed'];
const gateNotification = { kind: 'notify' as const, notification: 'chat.ask', params: { level: 'high' } };

/** One notification for each event, and one that is sent when a build begins to wait for approval. */
function withNotifications(approval: boolean): Pipeline {
  const ship = job('ship', get('git.app'), task('ship'));
  const gate = { label: 'go', approvals: 1, timeoutSeconds: 60, notify: [gateNotification] };
  const params = { base_url: 'https://ci.example' };
  const named = [...EVENTS, 'ask'].map((label) => ({ name: `chat.${label}`, type: 'chat', label, params }));
  return samplePipeline({
    jobs: [approval ? { ...ship, approval: gate } : ship, job('other', get('git.app'), task('other'))],
    notificationTypes: [
      { name: 'chat', builtIn: false, params: ['base_url'], notify: { runner: 'shell', cmd: 'send' } },
    ],
    notifications: named.map((notification, index) => {
      const event = EVENTS[index];
      return event === undefined
        ? { ...notification, on: [] }
        : { ...notification, on: [event], jobs: ['ship'] };
    }),
  });
}

let stores: TestStores;
let cluster: InMemoryCluster;
let notifications: RecordedNotifications;
let actions: Actions;
let saved: SavedPipeline;

const now = (): Date => new Date();
const ports = () => ({ ...stores, cluster, notifications, now, pods: () => [...cluster.pods.values()] });
const checkPods = (): string[] => [...cluster.pods.keys()].filter((name) => name.startsWith('check'));

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => await begin(true));

async function begin(approval: boolean, ...refs: string[]): Promise<void> {
  await stores.empty();
  cluster = new InMemoryCluster();
  notifications = new RecordedNotifications();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(withNotifications(approval)));
  await scheduleBuilds(...(refs.length === 0 ? ['a'] : refs));
  actions = actionsOver({ ...stores, notifications, now });
}

async function scheduleBuilds(...refs: string[]): Promise<void> {
  await recordFoundVersions(
    stores,
    saved,
    refs.map((ref) => ({ ref })),
  );
  await scheduleOn(stores, saved.id, now());
}

const idOf = async (number: string): Promise<number> =>
  (await stores.views.buildIds({ ...SHIP, number }))?.build ?? 0;

/**
 * Opens runs for the due notifications, and creates the Pods of these runs. Returns what each open run sends.
 */
async function claimAndShow() {
  await claimNotifications(ports());
  await runHooks(ports());
  const open = await stores.checks.openHookRuns();
  return await Promise.all(
    open.map(async ({ run }) => {
      const facts = await stores.checks.runFacts(run);
      const builds = facts?.notifications?.builds ?? [];
      return {
        run,
        builds,
        sent: builds.map((build) => [build.number, build.status, ...build.notifications].join(' ')),
      };
    }),
  );
}

/** The agent of the run reports: each notification was sent, or failed. */
async function report(run: number, error?: string): Promise<string> {
  const facts = await stores.checks.runFacts(run);
  const hooks = (facts?.notifications?.builds ?? []).flatMap(({ id, notifications: names }) =>
    names.map((hook) => ({
      version: String(id),
      job: 'ship',
      hook,
      output: 'said\n',
      ...(error !== undefined && { error }),
    })),
  );
  return await recordVersions(run, { results: [], hooks, done: true }, ports());
}

const sentOf = async (number: string): Promise<string[]> =>
  ((await stores.views.build({ ...SHIP, number }))?.steps ?? [])
    .filter(({ kind }) => kind === 'notify')
    .map(({ id, name, status, message = '' }) => `${id} ${name} ${status} ${message}`.trimEnd());

describe('a build that begins to wait for approval', () => {
  test('sends the notifications of its gate once, in a Pod of their own', async () => {
    const [run] = await claimAndShow();
    expect(run?.sent).toEqual(['1 waiting chat.ask']);
    expect(checkPods()).toEqual([`check-${run?.run}`]);
    expect(await sentOf('1')).toEqual(['approve.notify.0 chat.ask started']);
    expect(await report(run?.run ?? 0)).toBe('recorded');
    expect(await sentOf('1')).toEqual(['approve.notify.0 chat.ask succeeded']);
    expect(await claimAndShow()).toEqual([]);
    expect(await report(run?.run ?? 0)).toBe('over');
  });

  test('shows a notification that fails, and still waits', async () => {
    const [run] = await claimAndShow();
    await report(run?.run ?? 0, 'exit code 22.');
    expect(await sentOf('1')).toEqual(['approve.notify.0 chat.ask failed exit code 22. said']);
    expect(await stores.views.build({ ...SHIP, number: '1' })).toMatchObject({ status: 'waiting' });
  });

  test('sends nothing if somebody approved it before that, and the build says so', async () => {
    await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: true });
    expect(await claimAndShow()).toEqual([]);
    expect(await sentOf('1')).toEqual([
      'approve.notify.0 chat.ask skipped Not sent: the build was approved before a Pod could send it.',
    ]);
    expect(await claimAndShow()).toEqual([]);
  });
});

describe('a build that ends without its agent notifies of', () => {
  beforeEach(async () => {
    const [run] = await claimAndShow();
    await report(run?.run ?? 0);
  });
  const ends: Record<string, [end: () => Promise<unknown>, sent: string[]]> = {
    'a cancel before it ran': [
      async () => await actions.cancelBuild({ ...SHIP, number: '1' }, 'ann'),
      ['1 cancelled chat.cancel'],
    ],
    'a rejection as a failure': [
      async () => await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: false, message: 'No.' }),
      ['1 failed chat.failure chat.changed'],
    ],
    'an approval that expired as a failure': [
      async () => await expireApprovals(stores.builds, new Date(Date.now() + 61_000)),
      ['1 failed chat.failure chat.changed'],
    ],
    'a pin that cancels it': [
      async () => {
        const [other = 0] = await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
        await actions.pin({ ...APP, resource: 'git.app' }, { version: other, by: 'ann' });
      },
      ['1 cancelled chat.cancel'],
    ],
  };
  test.each(Object.entries(ends))('%s', async (_sentence, [end, sent]) => {
    await end();
    const [run] = await claimAndShow();
    expect(run?.sent).toEqual(sent);
    expect(run?.builds).toMatchObject([{ moment: 'ended', versions: [{ ref: 'a' }] }]);
    await report(run?.run ?? 0);
    expect(await sentOf('1')).toContain('approve.notify.0 chat.ask succeeded');
    expect(await claimAndShow()).toEqual([]);
  });
});

const loseBuild = async (number: string, outcome: 'failed' | 'cancelled' = 'failed'): Promise<void> => {
  const at = now();
  const end = { outcome, reason: 'PodLost', message: 'The node is gone.', at } as const;
  expect(await endBuild({ build: await idOf(number), attempt: 1 }, end, stores.builds)).toBe('ended');
};
const start = async (): Promise<void> => void (await startBuilds(ports()));

describe('a build whose Pod is lost', () => {
  beforeEach(async () => {
    await begin(false);
    await start();
  });

  test('sends what its agent did not', async () => {
    await loseBuild('1');
    const [run] = await claimAndShow();
    expect(run?.sent).toEqual(['1 failed chat.failure chat.changed']);
    expect(run?.builds).toMatchObject([{ reason: 'PodLost' }]);
    await report(run?.run ?? 0);
    expect(await sentOf('1')).toEqual([
      'notification.1 chat.failure succeeded',
      'notification.3 chat.changed succeeded',
    ]);
  });

  test('does not send again what its agent has begun to send', async () => {
    const events = [
      { sequence: 1, at: now().toISOString(), type: 'step-started' as const, step: '0' },
      { sequence: 2, at: now().toISOString(), type: 'step-started' as const, step: 'notification.1' },
    ];
    await followBuild({ build: await idOf('1'), attempt: 1 }, events, ports());
    await loseBuild('1');
    expect((await claimAndShow()).map(({ sent }) => sent)).toEqual([['1 failed chat.changed']]);
  });

  test('sends what an agent that was stopped could not send', async () => {
    const at = now().toISOString();
    const end = { outcome: 'failed', reason: 'StepFailed', message: 'Step ship: exit code 1.' } as const;
    const events: BuildEvent[] = [
      { sequence: 1, at, type: 'step-started', step: '0' },
      { sequence: 2, at, type: 'step-ended', step: '0', status: 'failed', exitCode: 1 },
      { sequence: 3, at, type: 'step-started', step: 'notification.1' },
      { sequence: 4, at, type: 'build-ended', ...end, notified: false },
    ];
    await followBuild({ build: await idOf('1'), attempt: 1 }, events, ports());
    expect((await claimAndShow()).map(({ sent }) => sent)).toEqual([['1 failed chat.changed']]);
  });

  test('compares with the previous build for the event changed, but not with a cancelled one', async () => {
    await loseBuild('1');
    const [first] = await claimAndShow();
    await report(first?.run ?? 0);
    await scheduleBuilds('b');
    await start();
    await loseBuild('2', 'cancelled');
    const [second] = await claimAndShow();
    expect(second?.sent).toEqual(['2 cancelled chat.cancel']);
    await report(second?.run ?? 0);
    await scheduleBuilds('c');
    await start();
    await loseBuild('3');
    expect((await claimAndShow()).map(({ sent }) => sent)).toEqual([['3 failed chat.failure']]);
    const facts = await stores.builds.attemptFacts(await idOf('3'), 1);
    expect(facts?.previousOutcome).toBe('failed');
  });

  test('sends nothing when its agent reported the end', async () => {
    await succeed(stores, 'ship');
    expect(await claimAndShow()).toEqual([]);
  });
});

const LATEST = { ...get('git.app'), version: 'latest' as const };

describe('a build that a newer one', () => {
  const cases: Record<string, Partial<Job>> = {
    'supersedes notifies of a cancel': { steps: [LATEST, task('ship')] },
    'interrupts notifies of a cancel': { interruptible: true },
  };
  test.each(Object.entries(cases))('%s', async (_sentence, more) => {
    await stores.empty();
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    const [ship, ...others] = withNotifications(true).jobs;
    const jobs = ship ? [{ ...ship, ...more }, ...others] : [];
    saved = await stores.pipelines.savePipeline(toSave({ ...withNotifications(true), jobs }));
    await scheduleBuilds('a');
    await scheduleBuilds('b');
    const [run] = await claimAndShow();
    expect(run?.sent.toSorted()).toEqual(['1 cancelled chat.cancel', '2 waiting chat.ask']);
  });
});

describe('runs of notifications', () => {
  test('are bounded: one of a team at a time, with ten builds of a job', async () => {
    await begin(false, ...Array.from({ length: 12 }, (_, index) => `v${index}`));
    await actions.pausePipeline(APP, 'ann');
    for (let number = 1; number <= 12; number += 1)
      await actions.cancelBuild({ ...SHIP, number: String(number) }, 'ann');
    const [run, ...others] = await claimAndShow();
    expect(run?.sent).toHaveLength(10);
    expect(others).toEqual([]);
    expect(await claimAndShow()).toHaveLength(1);
    await report(run?.run ?? 0);
    const [nextRun] = await claimAndShow();
    expect(nextRun?.sent).toEqual(['11 cancelled chat.cancel', '12 cancelled chat.cancel']);
  });

  test('are closed with the reason when their Pod does not come in time, and never repeated', async () => {
    cluster.refuse = () => ({ answer: 'refused', reason: 'QuotaExceeded', message: 'no room' });
    const [run] = await claimAndShow();
    await stores.pool.query(rows()`UPDATE check_runs SET opened_at = now() - interval '1 hour'`);
    await runHooks(ports());
    expect(await sentOf('1')).toEqual([
      'approve.notify.0 chat.ask failed The Pod that sends the notification did not end in time. ' +
        'QuotaExceeded: no room',
    ]);
    expect(await report(run?.run ?? 0)).toBe('over');
    expect(await claimAndShow()).toEqual([]);
  });

  test('get one Pod, even if an operator dies after it recorded the run and before it created the Pod', async () => {
    await claimNotifications(ports());
    expect(checkPods()).toEqual([]);
    await claimNotifications(ports());
    await runHooks(ports());
    await runHooks({ ...ports(), pods: () => [] });
    expect(cluster.createdNames.filter((name) => name.startsWith('check'))).toHaveLength(1);
  });

  test('are not repeated when their Pod is lost after its agent came, and the build shows it', async () => {
    const [run] = await claimAndShow();
    const id = run?.run ?? 0;
    const pod = cluster.pods.get(`check-${id}`);
    await stores.sessions.openSession({ kind: 'checks', run: id }, 'key', pod?.uid ?? '', now());
    cluster.pods.delete(`check-${id}`);
    for (const open of await stores.checks.openRuns()) await followCheckPod(open, undefined, ports());
    expect(await sentOf('1')).toEqual([
      'approve.notify.0 chat.ask failed The Pod of the notifications is gone.',
    ]);
    expect(await claimAndShow()).toEqual([]);
  });

  test('that nobody could send for an hour are given up', async () => {
    await stores.pool.query(rows()`UPDATE build_notifications SET due_at = now() - interval '2 hours'`);
    expect(await claimAndShow()).toEqual([]);
    expect(await sentOf('1')).toEqual([
      'approve.notify.0 chat.ask failed Not sent: for an hour no Pod could send it.',
    ]);
  });

  test('are opened once, even by two operators at once', async () => {
    const due = await stores.checks.dueNotifications();
    const decision = decideNotificationRuns(due);
    await Promise.all([1, 2].map(async () => await stores.checks.openNotificationRuns(decision)));
    expect(await stores.checks.openHookRuns()).toHaveLength(1);
  });

  test('end with their pipeline', async () => {
    await claimAndShow();
    await stores.pipelines.removePipeline(APP);
    expect(await claimAndShow()).toEqual([]);
    expect(await stores.checks.openRuns()).toEqual([]);
  });
});
