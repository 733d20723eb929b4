import { expect, test } from '@jest/globals';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { WatchedStarts } from './watched-starts.ts';

const container = (name: string, state: 'waiting' | 'running') => ({ name, image: name, state });
const pod = (more: Partial<PodFacts>): PodProjection => ({
  namespace: 'team',
  name: 'app-unit-1-1',
  uid: 'uid-1',
  resourceVersion: '1',
  labels: {},
  facts: {
    namespace: 'team',
    name: 'app-unit-1-1',
    uid: 'uid-1',
    sealed: true,
    work: { kind: 'build', build: 1, attempt: 1 },
    createdAt: new Date(0),
    deleting: false,
    phase: 'Pending',
    scheduled: false,
    containers: [container('agent', 'waiting'), container('worker', 'waiting')],
    ...more,
  },
});
const NEW = pod({});
const PLACED = pod({ scheduled: true });
const AGENT_RUNS = pod({
  scheduled: true,
  containers: [container('agent', 'running'), container('worker', 'waiting')],
});
const RUNS = pod({
  scheduled: true,
  containers: [container('agent', 'running'), container('worker', 'running')],
});

/** Shows these states of a Pod to the watch, one every second from 1 s on. */
function watched(...states: PodProjection[]) {
  let seconds = 0;
  const starts = new WatchedStarts(() => new Date(seconds * 1000));
  let previous: PodProjection | undefined;
  for (const object of states) {
    seconds += 1;
    const shown = { key: 'team/app-unit-1-1', object };
    starts.changed(
      previous === undefined ? { ...shown, type: 'added' } : { ...shown, type: 'updated', previous },
    );
    previous = object;
  }
  return { starts, seen: starts.of('uid-1') };
}

test('the times are those of the changes, and later changes do not move them', () => {
  expect(watched(NEW, PLACED, AGENT_RUNS, RUNS, RUNS).seen).toEqual({
    scheduledAt: new Date(2000),
    containersStartedAt: new Date(4000),
  });
});

test('one change can show both the node and the start of the containers', () => {
  const both = { scheduledAt: new Date(2000), containersStartedAt: new Date(2000) };
  expect(watched(NEW, RUNS).seen).toEqual(both);
});

test('a Pod that had a node before the watch began has no time of getting it', () => {
  expect(watched(PLACED, RUNS).seen).toEqual({ containersStartedAt: new Date(2000) });
  expect(watched(RUNS, RUNS).seen).toEqual({});
});

test('a Pod without the seal of Millrace takes no memory', () => {
  expect(watched(pod({ sealed: false }), pod({ sealed: false, scheduled: true })).seen).toEqual({});
});

test('a deleted Pod is forgotten', () => {
  const { starts } = watched(NEW, PLACED);
  starts.changed({ type: 'deleted', key: 'team/app-unit-1-1', object: PLACED });
  expect(starts.of('uid-1')).toEqual({});
});
