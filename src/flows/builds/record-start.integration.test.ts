import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SeenStart } from '#domain/build/start-times.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import {
  buildOf,
  cluster,
  findRefs,
  notifications,
  now,
  podNames,
  ports,
  save,
  setAhead,
  buildView,
  stores,
  useStores,
} from '#testing/flows/flows-under-test.ts';
import { retryOn } from '#testing/stores/schedule.ts';
import { eventsOf } from '#testing/stores/stores.ts';
import { followPod } from './compare-with-pods.ts';
import { followBuild } from './follow-build.ts';
import { startBuilds } from './start-builds.ts';

useStores();

const FIRST = 'app-unit-1-1';
const SECOND = 'app-unit-1-2';
let podCreatedMs: number;

/** The time this many seconds after the Pod of the first attempt was created. */
const at = (seconds: number): Date => new Date(podCreatedMs + seconds * 1000);
/** What is recorded of the last attempt, in seconds. */
async function recorded(): Promise<(number | undefined)[]> {
  const { podScheduledAt, containersStartedAt } = (await buildView()) ?? {};
  return [podScheduledAt, containersStartedAt].map((time) => time && (time.getTime() - podCreatedMs) / 1000);
}

const container = (name: string, startedAt: Date) =>
  ({ name, image: name, state: 'running', startedAt }) as const;
const running = (scheduledSeconds: number, startedSeconds: number): Partial<PodFacts> => ({
  phase: 'Running',
  scheduledAt: at(scheduledSeconds),
  containers: [container('agent', at(scheduledSeconds)), container('worker', at(startedSeconds))],
});
const follow = async (name: string, status: Partial<PodFacts>, seen: SeenStart = {}): Promise<void> =>
  await followPod(cluster.change(name, status), [], { ...ports(), seenStart: () => seen });
/** The agent reports the first `count` events. The first step starts after 9 s. */
async function report(name: string, attempt: number, count: number): Promise<void> {
  const events = eventsOf(['0', '1'], at(9).toISOString());
  await followBuild({ build: buildOf(name), attempt }, events.slice(0, count), ports());
}

beforeEach(async () => {
  await save();
  await findRefs('a');
  podCreatedMs = (await buildView())?.podCreatedAt?.getTime() ?? NaN;
});

describe('the start of a Pod', () => {
  test('is recorded once the first step has started, and open pages are notified', async () => {
    await follow(FIRST, running(2, 5));
    expect(await recorded()).toEqual([undefined, undefined]);
    await report(FIRST, 1, 1);
    const before = notifications.sent.length;
    await follow(FIRST, running(2, 5), { scheduledAt: at(2.3) });
    expect(await recorded()).toEqual([2.3, 5]);
    await follow(FIRST, running(3, 6));
    expect(await recorded()).toEqual([2.3, 5]);
    expect(notifications.sent.slice(before)).toEqual([`progress ${buildOf(FIRST)}`]);
  });

  test('is recorded when the Pod of a short build ends, before it is deleted', async () => {
    await report(FIRST, 1, 7);
    expect(await recorded()).toEqual([undefined, undefined]);
    const { containers = [], ...status } = running(2, 8.5);
    const ended = containers.map((started) => ({ ...started, state: 'terminated', exitCode: 0 }) as const);
    // The watch saw the containers only after the first step had started.
    const seen = { containersStartedAt: at(9.2) };
    await follow(FIRST, { ...status, phase: 'Succeeded', containers: ended }, seen);
    expect(await recorded()).toEqual([2, 8.5]);
    expect(podNames()).not.toContain(FIRST);
  });

  test('has only the time when the Pod was scheduled if an image cannot be pulled', async () => {
    const broken = { name: 'worker', image: 'none', state: 'waiting', reason: 'InvalidImageName' } as const;
    await follow(FIRST, { ...running(2, 5), containers: [container('agent', at(2)), broken] });
    expect(await buildView()).toMatchObject({ status: 'failed', reason: 'ImagePullFailed' });
    expect(await recorded()).toEqual([2, undefined]);
  });

  test('is recorded for each attempt', async () => {
    const build = buildOf(FIRST);
    await report(FIRST, 1, 1);
    await follow(FIRST, running(2, 5));
    await retryOn(stores, build, 1, { reason: 'PodLost: gone', at: now() });
    expect(await recorded()).toEqual([undefined, undefined]);
    setAhead(120);
    await startBuilds(ports());
    await report(SECOND, 2, 1);
    await follow(SECOND, running(202, 205));
    expect(await recorded()).toEqual([202, 205]);
  });
});

async function record(uid: string, seconds: number, attempt = 1): Promise<void> {
  const times = { scheduledAt: at(seconds), containersStartedAt: at(seconds + 1) };
  await stores.builds.recordStart({ build: buildOf(FIRST), attempt }, uid, times);
}

describe('the record of a start', () => {
  test('keeps what the first of many writers wrote', async () => {
    const { uid = '' } = cluster.pods.get(FIRST) ?? {};
    await record(uid, 1);
    await Promise.all([2, 3, 4, 5].map((seconds) => record(uid, seconds)));
    expect(await recorded()).toEqual([1, 2]);
  });

  test('ignores a Pod with another uid or of another attempt', async () => {
    await record('another uid', 1);
    await record(cluster.pods.get(FIRST)?.uid ?? '', 1, 2);
    expect(await recorded()).toEqual([undefined, undefined]);
  });
});
