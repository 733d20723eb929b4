import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PendingBuild } from '#flows/pods/workloads.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { triggerOn } from '#testing/stores/schedule.ts';
import { openStores, recordFoundVersions, toSave, type TestStores } from '#testing/stores/stores.ts';
import { compareWithPods } from './compare-with-pods.ts';
import { startBuilds } from './start-builds.ts';

const UNIT = { team: 'main', pipeline: 'app', job: 'unit' };
const AGENT = { name: 'agent', image: 'millrace' };
const now = (): Date => new Date();
let stores: TestStores;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

/** Pauses the job while the API server creates the Pod of its build. */
class PausedDuringCreation extends InMemoryCluster {
  override async createBuildPod(build: PendingBuild) {
    const answer = await super.createBuildPod(build);
    if (this.createdNames.length === 1) await stores.actions.pauseJob(UNIT, 'ann');
    return answer;
  }
}

test('a job that is paused while the Pod of its build is created runs the build after the pause', async () => {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [job('unit', get('git.app', { trigger: false }), task('test'))];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  const cluster = new PausedDuringCreation();
  const ports = {
    ...stores,
    cluster,
    notifications: new RecordedNotifications(),
    foreign: new RecordedForeignPods(),
    now,
    reportHangingAgent: (): undefined => undefined,
    seenStart: () => ({}),
    pods: () => [...cluster.pods.values()],
  };
  await triggerOn(stores, UNIT, 'ann', now());
  await startBuilds(ports);
  expect(await stores.builds.openAttempts()).toEqual([]);
  const [build] = await stores.builds.buildsToStart(1);
  expect(build).toBeUndefined();
  // The gateway has no work for the agent, so the agent ends.
  const pod = [...cluster.pods.values()][0];
  cluster.change(pod?.name ?? '', {
    phase: 'Failed',
    containers: [{ ...AGENT, state: 'terminated', exitCode: 1 }],
  });
  await compareWithPods(ports);
  expect(cluster.pods.size).toBe(0);
  await stores.actions.unpauseJob(UNIT);
  await startBuilds(ports);
  await compareWithPods(ports);
  await startBuilds(ports);
  expect(await stores.builds.openAttempts()).toMatchObject([{ job: 'unit', status: 'pending' }]);
  expect(cluster.pods.size).toBe(1);
});
