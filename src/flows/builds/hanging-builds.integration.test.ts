import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import {
  eventsOf,
  recordFoundVersions,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';
import { cancelBuild } from './cancel-build.ts';
import { compareWithPods } from './compare-with-pods.ts';
import { followBuild } from './follow-build.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';

const UNIT = { team: 'main', pipeline: 'app', job: 'unit' };
const POD = 'app-unit-1-1';
let stores: TestStores;
let cluster: InMemoryCluster;
let notifications: RecordedNotifications;
/** The clock of the flows shows this many seconds after `cancelledAt` or, if that is unset, after now. */
let ahead: number;
let cancelledAt: Date | undefined;
let reported: string[];

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

const ports = () => ({
  ...stores,
  cluster,
  notifications,
  now: () => new Date((cancelledAt?.getTime() ?? Date.now()) + ahead * 1000),
  pods: () => [...cluster.pods.values()],
  foreign: new RecordedForeignPods(),
  seenStart: () => ({}),
  reportHangingAgent: ({ job, number }: { job: string; number: string }, message: string) =>
    void reported.push(`${job} ${number}: ${message}`),
});

/** Starts a build and, while its first step runs, cancels it. After that, its agent reports nothing. */
beforeEach(async () => {
  await stores.empty();
  cancelledAt = undefined;
  cluster = new InMemoryCluster();
  notifications = new RecordedNotifications();
  ahead = 1;
  reported = [];
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleJobs(ports());
  await startBuilds(ports());
  const work = cluster.pods.get(POD)?.work;
  if (work?.kind !== 'build') throw new Error(`The build has no Pod ${POD}.`);
  cluster.change(POD, {
    phase: 'Running',
    containers: [{ name: 'agent', image: 'millrace', state: 'running' }],
  });
  const firstStepStarted = eventsOf(['0', '1'], new Date().toISOString()).slice(0, 1);
  await followBuild(work, firstStepStarted, ports());
  const at = new Date();
  await cancelBuild({ ...UNIT, number: '1' }, 'ann', { ...ports(), now: () => at });
  cancelledAt = at;
});

const afterCancel = (seconds: number): Date => new Date((cancelledAt?.getTime() ?? 0) + seconds * 1000);

const compareAndRead = async () => {
  expect((await compareWithPods(ports())).failures).toEqual([]);
  return await stores.views.build({ ...UNIT, number: '1' });
};

describe('a cancelled build whose agent does not react', () => {
  test('has a minute to end', async () => {
    ahead = 55;
    expect(await compareAndRead()).toMatchObject({ status: 'started' });
    expect(cluster.pods.has(POD)).toBe(true);
    expect(reported).toEqual([]);
  });

  test('loses its Pod after a minute, ends as cancelled and says why', async () => {
    ahead = 65;
    expect(await compareAndRead()).toMatchObject({ status: 'started' });
    expect(cluster.pods.has(POD)).toBe(false);
    expect(reported).toEqual([
      'unit 1: The agent did not end the cancelled build within 60 s: its Pod is deleted.',
    ]);
    expect(await compareAndRead()).toMatchObject({
      status: 'cancelled',
      reason: 'Cancelled',
      message: 'Cancelled by ann. Its agent did not end it within 60 s, and its Pod is gone.',
    });
    expect(reported).toHaveLength(1);
  });

  test('stays started until its Pod is gone', async () => {
    ahead = 65;
    cluster.change(POD, { deleting: true, deletedAt: afterCancel(60) });
    expect(await compareAndRead()).toMatchObject({ status: 'started' });
    expect(reported).toEqual([]);
  });

  test('ends even if its Pod never goes because its node is lost', async () => {
    ahead = 300;
    cluster.change(POD, { deleting: true, deletedAt: afterCancel(75) });
    expect(await compareAndRead()).toMatchObject({ status: 'cancelled' });
  });
});
