import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  decideWarmPods,
  FAILED_SECONDS,
  MAX_CREATING_SECONDS,
  type WarmFacts,
  type WarmPodState,
} from './decide-warm-pods.ts';

const NOW = new Date('2026-11-24T05:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const SETTINGS = { pods: 3, idleSeconds: 600 };
const facts = (more: Partial<WarmFacts> = {}): WarmFacts => ({
  settings: SETTINGS,
  freeSlots: Infinity,
  waiting: 0,
  lacksQuota: false,
  likelyShapes: ['a', 'b'],
  pods: [],
  refill: true,
  ...more,
});
const pod = (id: number, more: Partial<WarmPodState> = {}): WarmPodState => ({
  id,
  shape: 'a',
  state: 'ready',
  createdAt: ago(10),
  ...more,
});

describe('Pods are created', () => {
  const tests: Record<string, [Partial<WarmFacts>, string[]]> = {
    'for each shape once, then for the likeliest again': [{}, ['a', 'b', 'a']],
    'only for each shape without a Pod, while builds begin': [{ refill: false, pods: [pod(1)] }, ['b']],
    'for the shape that has fewest': [{ pods: [pod(1), pod(2)] }, ['b']],
    'only for as many builds as the team may run': [{ freeSlots: 1 }, ['a']],
    'not if the team runs all the builds that it may': [{ freeSlots: 0 }, []],
    'only after builds that wait for a Pod have theirs': [{ waiting: 1 }, []],
    'not if a build of the team lacks quota': [{ lacksQuota: true }, []],
    'not if no build is likely': [{ likelyShapes: [] }, []],
    'not for a shape whose Pod failed lately': [{ pods: [pod(1, { state: 'failed' })] }, ['b', 'b', 'b']],
  };
  test.each(Object.entries(tests))('%s', (_title, [change, shapes]) => {
    expect(decideWarmPods(facts(change), NOW).create).toEqual(shapes);
  });
});

describe('a Pod is deleted', () => {
  const tests: Record<string, [Partial<WarmFacts>, { id: number; reason: string }[]]> = {
    'when it has waited for the time that the Team sets': [
      { pods: [pod(1, { createdAt: ago(600) }), pod(2, { createdAt: ago(599) })] },
      [{ id: 1, reason: 'Idle' }],
    ],
    'when no job needs its shape': [{ pods: [pod(1, { shape: 'old' })] }, [{ id: 1, reason: 'NotWanted' }]],
    'when a build of the team lacks quota': [
      { lacksQuota: true, pods: [pod(1)] },
      [{ id: 1, reason: 'QuotaExceeded' }],
    ],
    'when the team runs as many builds as it may, the newest first': [
      { freeSlots: 1, pods: [pod(1), pod(2)] },
      [{ id: 2, reason: 'TeamLimit' }],
    ],
    'as a record, some time after it failed': [
      { pods: [pod(1, { state: 'failed', createdAt: ago(FAILED_SECONDS) })] },
      [{ id: 1, reason: 'Forgotten' }],
    ],
  };
  test.each(Object.entries(tests))('%s', (_title, [change, removed]) => {
    expect(decideWarmPods(facts(change), NOW).remove).toEqual(removed);
  });

  test('when the Team no longer keeps Pods ready', () => {
    const { settings: _none, ...off } = facts({ pods: [pod(1), pod(2, { state: 'failed' })] });
    expect(decideWarmPods(off, NOW).create).toEqual([]);
    expect(decideWarmPods(off, NOW).remove).toEqual([
      { id: 1, reason: 'Off' },
      { id: 2, reason: 'Off' },
    ]);
  });
});

test('a Pod that is not ready in time fails, and no other of its shape is created', () => {
  const late = pod(1, { state: 'creating', createdAt: ago(MAX_CREATING_SECONDS) });
  const { create, fail } = decideWarmPods(facts({ likelyShapes: ['a'], pods: [late] }), NOW);
  expect(fail).toEqual([{ id: 1, message: 'It was not ready after 180 s.' }]);
  expect(create).toEqual([]);
});

const anyShape = fc.constantFrom('a', 'b', 'c', 'd');
const anyPod = fc.record({
  shape: anyShape,
  state: fc.constantFrom('creating' as const, 'ready' as const, 'failed' as const),
  createdAt: fc.integer({ min: 0, max: 2000 }).map(ago),
});
const anyFacts = fc.record({
  settings: fc.record({
    pods: fc.integer({ min: 1, max: 6 }),
    idleSeconds: fc.integer({ min: 30, max: 1500 }),
  }),
  freeSlots: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 6 })),
  waiting: fc.integer({ min: 0, max: 2 }),
  lacksQuota: fc.boolean(),
  likelyShapes: fc.uniqueArray(anyShape),
  refill: fc.boolean(),
  pods: fc
    .array(anyPod, { maxLength: 12 })
    .map((pods): WarmPodState[] => pods.map((fields, index) => ({ id: index + 1, ...fields }))),
});

test('there are never more Pods than the Team asks for or may use, none is idle, and a second decision changes nothing', () => {
  fc.assert(
    fc.property(anyFacts, (drawnFacts) => {
      const { create, remove, fail } = decideWarmPods(drawnFacts, NOW);
      const gone = new Set([...remove, ...fail].map(({ id }) => id));
      expect(gone.size).toBe(remove.length + fail.length);
      // A Pod that failed long after its creation is forgotten by the next decision, which may then create
      // another one.
      fc.pre(
        drawnFacts.pods.every(
          ({ id, createdAt }) =>
            createdAt > ago(FAILED_SECONDS) || !fail.some((failure) => failure.id === id),
        ),
      );
      const failed = drawnFacts.pods
        .filter(({ id }) => fail.some((failure) => failure.id === id))
        .map((failedPod) => ({ ...failedPod, state: 'failed' as const }));
      const remaining = drawnFacts.pods.filter(({ id }) => !gone.has(id));
      const created = create.map((shape, index) =>
        pod(100 + index, { shape, state: 'creating', createdAt: NOW }),
      );
      const after = [...remaining, ...created];
      const living = after.filter(({ state }) => state !== 'failed');
      expect(living.length).toBeLessThanOrEqual(Math.min(drawnFacts.settings.pods, drawnFacts.freeSlots));
      if (drawnFacts.lacksQuota) expect(living).toEqual([]);
      for (const livingPod of living) {
        expect(drawnFacts.likelyShapes).toContain(livingPod.shape);
        expect(NOW.getTime() - livingPod.createdAt.getTime()).toBeLessThan(
          drawnFacts.settings.idleSeconds * 1000,
        );
      }
      const secondDecision = decideWarmPods({ ...drawnFacts, pods: [...after, ...failed] }, NOW);
      expect(secondDecision).toEqual({ create: [], remove: [], fail: [] });
    }),
    { numRuns: 1000 },
  );
});
