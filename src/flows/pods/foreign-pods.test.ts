import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { RecordedPod } from '#domain/build/pod-ownership.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import { compareWithPods, followGonePod, followPod } from '#flows/builds/compare-with-pods.ts';
import type { AttemptFacts } from '#flows/builds/ports.ts';
import { runHooks } from '#flows/checks/run-hooks.ts';
import { checksWithoutScopes } from '#testing/flows/check-transactions.ts';
import { InMemoryCaches } from '#testing/flows/in-memory-caches.ts';
import { openBuilds } from '#testing/flows/open-builds.ts';
import {
  buildLabels,
  labelsOfCheck,
  foreignActs,
  realPod,
  warmLabels,
  type RealPod,
} from '#testing/kubernetes/foreign-pods.ts';
import { RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import type { PodFacts } from './ports.ts';
import type { WarmPodRow } from './warm-ports.ts';
import type { OpenAttempt, OpenHookRun, OpenRun } from './workloads.ts';

/*
 * A foreign Pod is one that Millrace did not create, whatever its labels say. The tests have a team with a
 * build in every state in which a build can wait, with checks and with hooks. Nothing is wrong with any of
 * them, so no flow writes anything unless a foreign Pod misleads it.
 */

const NAMESPACE = 'team-blue';
const AT = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-01-01T00:02:00Z');
const NAMES = { team: 'blue', pipeline: 'app', namespace: NAMESPACE, pipelineId: 1 };

const buildPod = (build: number, attempt: number): RealPod => ({
  namespace: NAMESPACE,
  name: `app-unit-${build}-${attempt}`,
  uid: `build-${build}-${attempt}`,
  labels: buildLabels(build, attempt),
  recorded: true,
});
const checkPod = (run: number, labels = labelsOfCheck(run)): RealPod => ({
  namespace: NAMESPACE,
  name: `check-app-${run}`,
  uid: `check-${run}`,
  labels,
  // The agent of run 11 has not reported yet.
  recorded: run !== 11,
});

const warmPod = (warm: number): RealPod => ({
  namespace: NAMESPACE,
  name: `warm-blue-${warm}`,
  uid: `warm-${warm}`,
  labels: warmLabels(warm),
  // Warm Pod 3 is being created.
  recorded: warm !== 3,
});

interface SampleBuild {
  status: BuildStatus;
  attempt: number;
  hadTurn: boolean;
  uid?: string;
}
/** By row id. */
const BUILDS: Record<number, SampleBuild> = {
  1: { status: 'started', attempt: 1, hadTurn: true, uid: 'build-1-1' },
  // Waits for approval.
  2: { status: 'waiting', attempt: 1, hadTurn: false },
  // Waits for its turn.
  3: { status: 'pending', attempt: 1, hadTurn: false },
  // Pauses before its second attempt.
  4: { status: 'pending', attempt: 2, hadTurn: true },
  // Waits for its Pod to be created.
  5: { status: 'pending', attempt: 1, hadTurn: true },
  6: { status: 'succeeded', attempt: 1, hadTurn: true, uid: 'build-6-1' },
  // Took a warm Pod.
  8: { status: 'started', attempt: 1, hadTurn: true, uid: 'warm-2' },
};
const run = (number: number, more: Partial<OpenRun> = {}): OpenRun => ({
  ...NAMES,
  run: number,
  group: 'g',
  openedAt: AT,
  seen: false,
  byCronJob: false,
  hooks: false,
  ...more,
});
/**
 * 11: its agent has not reported yet. 12: its agent has reported. 13: a CronJob created its Pod, whose labels
 * name no run. 14: it executes hooks.
 */
const RUNS = [
  run(11),
  run(12, { seen: true, podUid: 'check-12' }),
  run(13, { seen: true, podUid: 'check-13', byCronJob: true }),
  run(14, { seen: true, podUid: 'check-14', hooks: true }),
];
const HOOKS: OpenHookRun[] = RUNS.filter(({ hooks }) => hooks).map((openRun) => ({
  ...openRun,
  work: 'hooks',
  leftMs: 20_000,
}));
const LABELS_FROM_CRON_JOB = labelsOfCheck(undefined);
const REAL_PODS = [
  buildPod(1, 1),
  checkPod(11),
  checkPod(12),
  checkPod(13, LABELS_FROM_CRON_JOB),
  checkPod(14),
  ...[1, 2, 3].map(warmPod),
];
const OWN_PODS = REAL_PODS.map(realPod);
const LABELS_OF_WORK = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((build) => [1, 2, 3].map((attempt) => buildLabels(build, attempt))),
  ...[11, 12, 13, 14, 15].map(labelsOfCheck),
  LABELS_FROM_CRON_JOB,
  ...[1, 2, 3, 4, 5].map(warmLabels),
];

function attemptFacts(build: number, attempt: number): AttemptFacts | undefined {
  const sample = BUILDS[build];
  if (sample?.attempt !== attempt) return undefined;
  const { status, uid } = sample;
  const pod = uid === undefined ? {} : { podUid: uid, podCreatedAt: AT };
  const number = String(build);
  const definition = samplePipeline();
  return {
    ...NAMES,
    ...pod,
    id: build,
    attempt,
    status,
    number,
    job: 'unit',
    definition,
    createdAt: AT,
    retries: 0,
    versions: [],
  };
}

/** 1 waits, the running build 8 took 2, 3 is being created, and 4 failed. */
const WARM = new Map<number, WarmPodRow>([
  [1, { state: 'waiting', namespace: NAMESPACE, podUid: 'warm-1' }],
  [2, { state: 'taken', namespace: NAMESPACE, podUid: 'warm-2', build: 8, attempt: 1 }],
  [3, { state: 'waiting', namespace: NAMESPACE }],
  [4, { state: 'failed', namespace: NAMESPACE, podUid: 'warm-4' }],
]);

function recordedPod(build: number, attempt: number): RecordedPod | undefined {
  const sample = BUILDS[build];
  if (sample === undefined || attempt > sample.attempt) return undefined;
  const { status, hadTurn } = sample;
  const isExpected = hadTurn && attempt === sample.attempt && status !== 'succeeded';
  const uid = attempt === sample.attempt ? sample.uid : `build-${build}-${attempt}`;
  return { namespace: NAMESPACE, isExpected, ...(uid === undefined ? {} : { uid }) };
}

function openAttempts(): OpenAttempt[] {
  const open = Object.entries(BUILDS).filter(([, { hadTurn, status }]) => hadTurn && status !== 'succeeded');
  return open.flatMap(([id, { attempt }]) => attemptFacts(Number(id), attempt) ?? []);
}

/**
 * Ports whose reads answer from the tables above, and whose writes change nothing and are listed in
 * `written`.
 */
function recordingPorts(pods: () => PodFacts[]) {
  const written: string[] = [];
  const reads = {
    recordedPod: async (build: number, attempt: number) => recordedPod(build, attempt),
    attemptFacts: async (build: number, attempt: number) => attemptFacts(build, attempt),
    buildState: async (build: number) => ({
      status: BUILDS[build]?.status ?? 'pending',
      applied: 0,
      logBytes: 0,
      steps: { kind: 'recorded' as const, steps: [] },
    }),
    openAttempts: async () => openAttempts(),
  };
  const listWrite =
    (name: string) =>
    (...args: unknown[]): void =>
      void written.push(`${name} ${JSON.stringify(args)}`);
  const listAndAnswer =
    <Answer>(name: string, answer: Answer) =>
    async (...args: unknown[]): Promise<Answer> => {
      listWrite(name)(...args);
      return answer;
    };
  const created = { answer: 'created', uid: 'new' } as const;
  const ports = {
    builds: {
      ...reads,
      ...openBuilds({
        record: async ({ build, attempt }, changes) => listWrite('endBuild')(build, attempt, changes),
        retry: async ({ build, attempt }, toClose) => listWrite('retryBuild')(build, attempt, toClose),
      }),
      explainPending: listAndAnswer('explainPending', undefined),
      recordStart: listAndAnswer('recordStart', undefined),
    },
    checks: {
      openRuns: async () => RUNS,
      openHookRuns: async () => HOOKS,
      runFacts: async () => ({ ...NAMES, run: 0, definition: samplePipeline(), checks: [] }),
      ...checksWithoutScopes(listWrite('closeRun')),
      releaseRun: listAndAnswer('releaseRun', undefined),
      explainHooks: listAndAnswer('explainHooks', undefined),
    },
    cluster: {
      deletePod: listAndAnswer('deletePod', undefined),
      findBuildPod: async () => undefined,
      prepareClaim: async () => ({ answer: 'ready' as const }),
      createCheckPod: listAndAnswer('createCheckPod', created),
      teamPods: (name: string) => ({
        rules: { name, workers: [] },
        limits: { build: Infinity, check: Infinity },
      }),
      nodeLabel: (tag: string) => tag,
      runningPods: () => 0,
      nodes: () => [],
      startsPerNode: () => 4,
      sharing: () => 'alone' as const,
    },
    notifications: { notify: listWrite('notify') },
    caches: new InMemoryCaches(),
    warmPods: {
      rowOf: async (id: number) => WARM.get(id),
      remove: listAndAnswer('removeWarmPod', true),
      fail: listAndAnswer('failWarmPod', true),
    },
    reportHangingAgent: listWrite('reportHangingAgent'),
    seenStart: () => ({}),
    foreign: new RecordedForeignPods(),
    now: () => NOW,
    pods,
  };
  return { ports, written };
}

test('no sequence of foreign Pods changes any build, check or hook, or makes Millrace delete a Pod', async () => {
  const acts = foreignActs(REAL_PODS, LABELS_OF_WORK);
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const presentForeign = new Map<string, PodFacts>();
      const { ports, written } = recordingPorts(() => [...OWN_PODS, ...presentForeign.values()]);
      for (const { gone, pod } of sequence) {
        const key = `${pod.namespace}/${pod.name}`;
        if (gone) {
          presentForeign.delete(key);
          await followGonePod(pod, RUNS, ports);
        } else {
          presentForeign.set(key, pod);
          await followPod(pod, RUNS, ports);
        }
        expect((await compareWithPods(ports)).failures).toEqual([]);
        await runHooks(ports);
      }
      expect(written).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('the same flow does write when a Pod that Millrace created is gone', async () => {
  const { ports, written } = recordingPorts(() => []);
  await followGonePod(realPod(buildPod(1, 1)), RUNS, ports);
  expect(written).toEqual([
    expect.stringContaining('retryBuild [1,1'),
    'notify [{"topic":"builds"}]',
    'notify [{"topic":"status","pipeline":1}]',
  ]);
});
