import { expect, test } from '@jest/globals';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ContainerFacts } from '#flows/pods/ports.ts';
import { StartPacer } from './start-pacer.ts';

const pod = (name: string, state: ContainerFacts['state'], scheduled = true): PodProjection => ({
  namespace: 'team',
  name,
  uid: name,
  resourceVersion: '1',
  labels: {},
  facts: {
    namespace: 'team',
    name,
    uid: name,
    sealed: true,
    work: { kind: 'build', build: 1, attempt: 1 },
    createdAt: new Date(0),
    deleting: false,
    phase: 'Pending',
    scheduled,
    containers: [{ name: 'agent', image: 'millrace', state }],
  },
});

/** A pacer for one large node, and a clock that stands until it is moved. */
function paced() {
  let now = 0;
  const pacer = new StartPacer({ nodes: () => [{ cores: 64 }], now: () => now });
  const tell = (object: PodProjection, type: 'added' | 'deleted' = 'added'): void =>
    pacer.changed({ type, key: object.name, object });
  return {
    pacer,
    pass: (ms: number): void => void (now += ms),
    placed: (name: string): void => tell(pod(name, 'waiting')),
    unplaced: (name: string): void => tell(pod(name, 'waiting', false)),
    runs: (name: string): void => tell(pod(name, 'running')),
    gone: (name: string): void => tell(pod(name, 'waiting'), 'deleted'),
  };
}

/** Four Pods at a time, each as long. */
function round(world: ReturnType<typeof paced>, label: string, ms: number): void {
  const names = ['a', 'b', 'c', 'd'].map((letter) => `${label}${letter}`);
  for (const name of names) world.placed(name);
  world.pass(ms);
  for (const name of names) world.runs(name);
}

test('quick starts let more Pods start at a time', () => {
  const world = paced();
  for (let turn = 0; turn < 10; turn += 1) round(world, String(turn), 800);
  expect(world.pacer.perNode()).toBeGreaterThan(4);
});

test('a slow round halves the window once', () => {
  const world = paced();
  round(world, 'x', 30_000);
  expect(world.pacer.perNode()).toBe(2);
});

test('Pods that hang on their node halve it before they arrive', () => {
  const world = paced();
  world.placed('x');
  world.pass(30_000);
  expect(world.pacer.perNode()).toBe(2);
  expect(world.pacer.perNode()).toBe(2);
});

test('the wait for a node is no start', () => {
  const world = paced();
  world.unplaced('x');
  world.pass(600_000);
  world.placed('x');
  world.pass(500);
  world.runs('x');
  expect(world.pacer.perNode()).toBe(4);
});

test('Pods that are gone say nothing', () => {
  const world = paced();
  world.placed('x');
  world.gone('x');
  world.pass(600_000);
  expect(world.pacer.perNode()).toBe(4);
});

test('an API server that fails halves it, once for failures that follow each other', () => {
  const world = paced();
  world.pass(60_000);
  world.pacer.failed();
  world.pass(1000);
  world.pacer.failed();
  expect(world.pacer.perNode()).toBe(2);
});
