import { expect, test } from '@jest/globals';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ContainerFacts, PodFacts } from '#flows/pods/ports.ts';
import { StartPacer } from './start-pacer.ts';

type PodWork = PodFacts['work'];

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

/**
 * A pacer for one large node, with a clock that the test advances and changes of Pods that the watch shows.
 */
function setUp() {
  let now = 0;
  const pacer = new StartPacer({ nodes: () => [{ cores: 64 }], now: () => now });
  const notify = (object: PodProjection, type: 'added' | 'deleted' = 'added'): void =>
    pacer.changed({ type, key: object.name, object });
  return {
    pacer,
    pass: (ms: number): void => void (now += ms),
    placed: (name: string): void => notify(pod(name, 'waiting')),
    unplaced: (name: string): void => notify(pod(name, 'waiting', false)),
    runs: (name: string): void => notify(pod(name, 'running')),
    gone: (name: string): void => notify(pod(name, 'waiting'), 'deleted'),
  };
}

/** Starts four Pods at the same time. Each takes this many milliseconds. */
function round(setup: ReturnType<typeof setUp>, label: string, ms: number): void {
  const names = ['a', 'b', 'c', 'd'].map((letter) => `${label}${letter}`);
  for (const name of names) setup.placed(name);
  setup.pass(ms);
  for (const name of names) setup.runs(name);
}

test.each<[string, PodWork, string]>([
  ['a build', { kind: 'build', build: 1, attempt: 1 }, 'pausing'],
  ['checks', { kind: 'checks', pipelineId: 1 }, 'shared'],
  ['a warm Pod', { kind: 'warm', warm: 1 }, 'shared'],
])('the start of %s decides whether the team pauses', (_, work, sharing) => {
  const { pacer, pass } = setUp();
  for (const namespace of ['other', 'team']) {
    const changed = (state: ContainerFacts['state']): void => {
      const { facts, ...object } = { ...pod(namespace, state), namespace };
      pacer.changed({
        type: 'added',
        key: namespace,
        object: { ...object, ...(facts && { facts: { ...facts, work } }) },
      });
    };
    changed('waiting');
    pass(500);
    changed('running');
  }
  pass(100);
  expect(pacer.sharing('team')).toBe(sharing);
});

test('quick starts allow more Pods to start at the same time', () => {
  const setup = setUp();
  for (let turn = 0; turn < 10; turn += 1) round(setup, String(turn), 800);
  expect(setup.pacer.perNode()).toBeGreaterThan(4);
});

test('a slow round halves the start window once', () => {
  const setup = setUp();
  round(setup, 'x', 30_000);
  expect(setup.pacer.perNode()).toBe(2);
});

test('Pods that hang on their node halve the start window before they run', () => {
  const setup = setUp();
  setup.placed('x');
  setup.pass(30_000);
  expect(setup.pacer.perNode()).toBe(2);
  expect(setup.pacer.perNode()).toBe(2);
});

test('waiting for a node does not count as starting', () => {
  const setup = setUp();
  setup.unplaced('x');
  setup.pass(600_000);
  setup.placed('x');
  setup.pass(500);
  setup.runs('x');
  expect(setup.pacer.perNode()).toBe(4);
});

test('deleted Pods do not affect the start window', () => {
  const setup = setUp();
  setup.placed('x');
  setup.gone('x');
  setup.pass(600_000);
  expect(setup.pacer.perNode()).toBe(4);
});

test('an API server that fails halves the start window, once for consecutive failures', () => {
  const setup = setUp();
  setup.pass(60_000);
  setup.pacer.failed();
  setup.pass(1000);
  setup.pacer.failed();
  expect(setup.pacer.perNode()).toBe(2);
});
