import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { compareWithPods } from '#flows/builds/compare-with-pods.ts';
import { scheduleJobs } from '#flows/builds/schedule-jobs.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import { requestCheck } from '#flows/checks/request-check.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* For tests of several flows over real stores. */
export const APP = { team: 'main', pipeline: 'app' };
export const UNIT = { ...APP, job: 'unit' };
export const GIT = { ...APP, resource: 'git.app' };
export let stores: TestStores;
export let cluster: InMemoryCluster;
export let notifications: RecordedNotifications;
/** How many seconds the test's clock is ahead of the real time. `setAhead` changes it. */
export let ahead: number;

/** Opens the stores before the first test. Before each test, empties them and creates the team `main`. */
export function useStores(): void {
  beforeAll(async () => void (stores = await openStores()));

  afterAll(async () => await stores.close());

  beforeEach(async () => {
    await stores.empty();
    cluster = new InMemoryCluster();
    notifications = new RecordedNotifications();
    ahead = 1;
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  });
}

export const now = (): Date => new Date(Date.now() + ahead * 1000);
const reportHangingAgent = (): undefined => undefined;
const seenStart = () => ({});
const foreign = new RecordedForeignPods();
export const ports = () => ({
  ...stores,
  cluster,
  notifications,
  foreign,
  now,
  reportHangingAgent,
  seenStart,
  pods: () => [...cluster.pods.values()],
});
export const save = async (definition = samplePipeline(), more = {}) =>
  await stores.pipelines.savePipeline(toSave(definition, more));
export const buildPods = (): string[] => podNames().filter((name) => name.startsWith('app'));
export const podNames = (): string[] => [...cluster.pods.keys()].toSorted();
export const agentEnded = (exitCode = 0): Partial<PodFacts> => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containers: [{ name: 'agent', image: 'millrace', state: 'terminated', reason: 'Completed', exitCode }],
});

/** Completes a check of `git.app` that finds these refs, and starts the builds that they trigger. */
export async function findRefs(...refs: string[]): Promise<void> {
  await requestCheck(GIT, ports());
  const { runs } = await startChecks(ports());
  const run = runs[0] ?? 0;
  const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
  const results = [{ scope, versions: refs.map((ref) => ({ ref })), log: '' }];
  await recordVersions(run, { results, done: true }, ports());
  await compareWithPods(ports());
  await scheduleJobs(ports());
  await startBuilds(ports());
}

/** Pipelines with a running check. */
export const checkedPipelines = async (): Promise<string[]> =>
  (await stores.checks.openRuns()).map(({ pipeline }) => pipeline).toSorted();
export const buildView = async (number = '1', of = UNIT) => await stores.views.build({ ...of, number });
const buildIn = (pod: PodFacts | undefined): number => (pod?.work.kind === 'build' ? pod.work.build : 0);
export const buildOf = (name: string): number => buildIn(cluster.pods.get(name));

export function setAhead(seconds: number): void {
  ahead = seconds;
}
