import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { ListWatcher } from '#adapters/kubernetes/watch/reflector.ts';
import { Informers } from './informers.ts';

const TEAM = { metadata: { name: 'blue', uid: 'team', resourceVersion: '1' }, spec: { warm: { pods: 1 } } };
const POD = {
  metadata: {
    namespace: 'blue',
    name: 'check-1',
    uid: 'pod',
    resourceVersion: '1',
    labels: { 'millrace.dev/kind': 'check', 'millrace.dev/pipeline-id': '3', 'millrace.dev/run': '1' },
  },
  spec: { containers: [] },
  status: { phase: 'Running' },
};

const ignore = (): void => undefined;

/** A cluster with one Team. The first list of its Pods ends when `listPods` is called. */
function setUp() {
  const { promise: mayList, resolve: listPods } = Promise.withResolvers<void>();
  const source: ListWatcher = {
    async list(kind, _, page) {
      if (kind.kind === KINDS.pods.kind) await mayList;
      const objects: Record<string, object[]> = { Team: [TEAM], Pod: [POD] };
      page(JSON.parse(JSON.stringify(objects[kind.kind] ?? [])));
      return { ok: true, value: '1' };
    },
    async watch(_kind, _options, signal) {
      await sleep(60_000, undefined, { signal, ref: false }).catch(() => undefined);
      return { ok: false, status: 0, reason: 'Stopped', message: 'The test ends.' };
    },
  };
  const handlers = {
    team: ignore,
    pipeline: ignore,
    oauthProvider: ignore,
    pod: ignore,
    cronJob: ignore,
    node: ignore,
    reference: ignore,
    problem: ignore,
  };
  return {
    informers: new Informers(source, handlers, { isSealed: () => true, defaultLimits: {} }),
    listPods,
  };
}

test('how many Pods of a Team run is unknown until its Pods are listed', async () => {
  const { informers, listPods } = setUp();
  await informers.start();
  expect([informers.podsListed('blue'), informers.runningPods('blue', 'check')]).toEqual([false, undefined]);
  const watching = informers.watchNamespace('blue');
  await sleep(1);
  expect([informers.podsListed('blue'), informers.runningPods('blue', 'check')]).toEqual([false, undefined]);
  listPods();
  await watching;
  expect([informers.podsListed('blue'), informers.runningPods('blue', 'check')]).toEqual([true, 1]);
  await informers.stop();
});

test('a stop before the Pods of a Team are listed does not make them known', async () => {
  const { informers, listPods } = setUp();
  await informers.start();
  const watching = informers.watchNamespace('blue');
  const stopped = informers.stop();
  await watching;
  expect(informers.podsListed('blue')).toBe(false);
  listPods();
  await stopped;
});

test('there are no Pods to wait for in a namespace that no Team owns', async () => {
  const { informers } = setUp();
  await informers.start();
  expect(informers.podsListed('red')).toBe(true);
  await informers.stop();
});
