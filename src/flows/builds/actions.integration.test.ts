import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { actionsOver, type Actions } from '#testing/stores/actions.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
const SHIP = { ...APP, job: 'ship' };
const gated = job('ship', get('git.app'), task('ship'));
const definition = samplePipeline({
  jobs: [{ ...gated, approval: { label: 'go', approvals: 1, notify: [] } }],
});

let stores: TestStores;
let notifications: RecordedNotifications;
let actions: Actions;
let saved: SavedPipeline;
let versions: number[];
/** Row id of the first build, which waits for its approval. */
let firstBuild: number;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(definition));
  versions = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date());
  firstBuild = (await stores.views.buildIds({ ...SHIP, number: '1' }))?.build ?? 0;
  notifications = new RecordedNotifications();
  actions = actionsOver({ ...stores, notifications, now: () => new Date() });
});

const scheduleAndStatus = () => [`schedule ${saved.id}`, `status ${saved.id}`];
const cancelScheduleAndStatus = () => [`cancel ${firstBuild}`, ...scheduleAndStatus()];

describe('notifications of an action', () => {
  const cases: Record<string, [act: () => Promise<unknown>, sent: () => string[]]> = {
    'a pause notifies the scheduler and the status': [
      async () => await actions.pausePipeline(APP, 'ann'),
      scheduleAndStatus,
    ],
    'the end of a pause notifies the scheduler and the status': [
      async () => await actions.unpausePipeline(APP),
      scheduleAndStatus,
    ],
    'a pause of a job notifies the scheduler and the status': [
      async () => await actions.pauseJob(SHIP, 'ann'),
      scheduleAndStatus,
    ],
    'the end of a pause of a job notifies the scheduler and the status': [
      async () => await actions.unpauseJob(SHIP),
      scheduleAndStatus,
    ],
    'a pin of the version that the build took notifies the scheduler and the status': [
      async () => await actions.pin(GIT, { version: versions[0] ?? 0, by: 'ann' }),
      scheduleAndStatus,
    ],
    'a pin of another version also notifies the agent of the build that stops': [
      async () => {
        const [other = 0] = await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
        return await actions.pin(GIT, { version: other, by: 'ann' });
      },
      cancelScheduleAndStatus,
    ],
    'the end of a pin notifies the scheduler and the status': [
      async () => await actions.unpin(GIT),
      scheduleAndStatus,
    ],
    'a version that is disabled also notifies the agent of the build that stops': [
      async () => await actions.disableVersion(GIT, versions[0] ?? 0, 'ann'),
      cancelScheduleAndStatus,
    ],
    'a version that is enabled notifies the scheduler and the status': [
      async () => await actions.enableVersion(GIT, versions[0] ?? 0),
      scheduleAndStatus,
    ],
    'a cancelled build also notifies its agent': [
      async () => await actions.cancelBuild({ ...SHIP, number: '1' }, 'ann'),
      cancelScheduleAndStatus,
    ],
    'an approval notifies the scheduler and the status': [
      async () => await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: true }),
      scheduleAndStatus,
    ],
    'a rejection notifies the scheduler and the status': [
      async () =>
        await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: false, message: 'Not today.' }),
      scheduleAndStatus,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_sentence, [act, sent]) => {
    expect(await act()).toMatchObject({ answer: 'done' });
    expect(notifications.sent).toEqual(sent());
  });

  test('a retry of a build that has ended notifies the scheduler and the status', async () => {
    await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: true });
    await succeed(stores, 'ship');
    notifications.sent.length = 0;
    expect(await actions.retryBuild({ ...SHIP, number: '1' }, 'ann')).toMatchObject({
      answer: 'done',
      build: { number: '1.1' },
    });
    expect(notifications.sent).toEqual(scheduleAndStatus());
  });
});

describe('a retry of a build that is older than the approval of its job', () => {
  const SECOND = { ...SHIP, number: '2' };
  const RETRY = { ...SHIP, number: '2.1' };
  beforeEach(async () => {
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [gated] })));
    await triggerOn(stores, SHIP, 'ann', new Date());
    await succeed(stores, 'ship');
    const approval = { label: 'go', approvals: 2, notByTrigger: true, timeoutSeconds: 60, notify: [] };
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [{ ...gated, approval }] })));
  });

  test('waits for the people that the job needs now, and not for the one who retries', async () => {
    expect(await actions.retryBuild(SECOND, 'ann')).toMatchObject({ answer: 'done', build: RETRY });
    expect(await stores.views.build(RETRY)).toMatchObject({ status: 'waiting', approval: { needed: 2 } });
    const vote = async (by: string) => await actions.vote(RETRY, { by, approve: true });
    expect(await vote('ann')).toMatchObject({ answer: 'refused', reasons: [{ code: 'OwnBuild' }] });
    expect(await vote('bob')).toMatchObject({ answer: 'done', state: 'waiting' });
    expect(await vote('eve')).toMatchObject({ answer: 'done', state: 'approved' });
  });

  test('expires as the job says now', async () => {
    await actions.retryBuild(SECOND, 'ann');
    expect(await stores.builds.approvalsWithTimeout()).toMatchObject([{ gate: { timeoutSeconds: 60 } }]);
  });

  test('waits for nobody, and shows no approval, if the job no longer needs one', async () => {
    await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: false, message: 'Not today.' });
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [gated] })));
    await actions.retryBuild({ ...SHIP, number: '1' }, 'ann');
    const shown = await stores.views.build({ ...SHIP, number: '1.1' });
    expect(shown).toMatchObject({ status: 'pending' });
    expect(shown).not.toHaveProperty('approval');
  });
});

describe('refused actions', () => {
  const cases: Record<string, () => Promise<unknown>> = {
    'a retry of a build that has not ended notifies nobody': async () =>
      await actions.retryBuild({ ...SHIP, number: '1' }, 'ann'),
    'a warning on a build that has not failed notifies nobody': async () =>
      await actions.markWarning({ ...SHIP, number: '1' }, 'ann'),
    'a rejection without a reason notifies nobody': async () =>
      await actions.vote({ ...SHIP, number: '1' }, { by: 'ann', approve: false }),
    'a pause that the manifest decides notifies nobody': async () => {
      await stores.pipelines.savePipeline(toSave(definition, { paused: false }));
      return await actions.pausePipeline(APP, 'ann');
    },
    'a pin that the manifest decides notifies nobody': async () => {
      const pins = [{ resource: 'git.app', version: { ref: 'a' } }];
      await stores.pipelines.savePipeline(toSave(definition, { pins }));
      return await actions.unpin(GIT);
    },
  };
  test.each(Object.entries(cases))('%s', async (_sentence, act) => {
    expect(await act()).toMatchObject({ answer: 'refused' });
    expect(notifications.sent).toEqual([]);
  });

  test('an action on a build that does not exist notifies nobody', async () => {
    expect(await actions.cancelBuild({ ...SHIP, number: '9' }, 'ann')).toEqual({ answer: 'unknown' });
    expect(notifications.sent).toEqual([]);
  });
});
