import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  teamName,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl, type KubernetesObject } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';
import { endSlowBuild, startSlowBuild, waitForSecondAttempt } from '#e2e/support/slow-build.ts';

const TEAM = teamName('e2e-warm');
const LINES = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
const PRINT = 'for n in $(seq 200); do echo line $n; done';

const podsOf = async (kind: 'warm' | 'build'): Promise<KubernetesObject[]> =>
  await list('pods', '--namespace', TEAM, '--selector', `millrace.dev/kind=${kind}`);

/** Waits until a build can take a Pod; returns its name. */
const readyPod = async (): Promise<string> =>
  await eventually(async () => {
    const { status } = await get('team', TEAM);
    expect(status?.['warmPods']).toEqual({ ready: 1, starting: 0 });
    const warmPod = (await podsOf('warm')).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(warmPod).toHaveLength(1);
    return warmPod[0]?.metadata.name ?? '';
  });

const setWarm = async (warm: object | null): Promise<void> => {
  await kubectl('patch', 'team', TEAM, '--type=merge', '-p', JSON.stringify({ spec: { warm } }));
};

beforeAll(async () => await createTeam(TEAM));
afterAll(async () => await deleteTeam(TEAM));

test('a Team without spec.warm keeps no Pod ready', async () => {
  await createPipeline(TEAM, 'app', oneJob(PRINT));
  const { number } = created(await pipelineApi(TEAM, 'app').trigger('work'));
  expect((await buildEnded(TEAM, 'app', 'work', number)).status).toBe('succeeded');
  expect(await podsOf('warm')).toEqual([]);
  expect((await get('team', TEAM)).status?.['warmPods']).toBeUndefined();
});

test('a build takes the warm Pod, its log is complete, and the Pod is used once', async () => {
  await setWarm({ pods: 1 });
  const warmPod = await readyPod();
  const { number } = created(await pipelineApi(TEAM, 'app').trigger('work'));
  expect((await buildEnded(TEAM, 'app', 'work', number)).status).toBe('succeeded');
  const log = await pipelineApi(TEAM, 'app').log('work', number);
  expect(log.split('\n').filter((line) => line.startsWith('line '))).toEqual(LINES);
  // A cold build would have left a separate Pod.
  const builds = (await podsOf('build')).filter(
    ({ metadata }) => metadata.labels?.['millrace.dev/build'] === number,
  );
  expect(builds).toEqual([]);
  await eventually(async () => {
    expect((await list('pods', '--namespace', TEAM)).map(({ metadata }) => metadata.name)).not.toContain(
      warmPod,
    );
  });
  expect(await readyPod()).not.toBe(warmPod);
});

test('a build whose warm Pod is deleted gets a cold one', async () => {
  const warmPod = await readyPod();
  const number = await startSlowBuild(TEAM, 'app');
  const taken = await list('pods', '--namespace', TEAM, '--field-selector', `metadata.name=${warmPod}`);
  expect(taken).toHaveLength(1);
  expect(await podsOf('build')).toEqual([]);
  await setWarm(null);
  await eventually(async () => {
    expect((await podsOf('warm')).map(({ metadata }) => metadata.name)).toEqual([warmPod]);
  });
  await kubectl('delete', 'pod', warmPod, '--namespace', TEAM, '--grace-period=0', '--force');
  await waitForSecondAttempt(TEAM, 'app', number);
  expect(await podsOf('build')).toHaveLength(1);
  await endSlowBuild(TEAM, 'app', number);
});

test('warm Pods are deleted when the Team no longer keeps any', async () => {
  await setWarm({ pods: 1 });
  await readyPod();
  await setWarm(null);
  await eventually(async () => expect(await podsOf('warm')).toEqual([]));
});
