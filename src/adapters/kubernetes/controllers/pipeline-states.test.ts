import { describe, expect, test } from '@jest/globals';
import { array, assert, constant, constantFrom, property, tuple } from 'fast-check';
import type { PipelineProjection } from '#adapters/kubernetes/informers/projections.ts';
import { notReady } from './conditions.ts';
import { PipelineState, PipelineStates } from './pipeline-states.ts';
import type { ManifestVerdict } from './pipeline-verdict.ts';

const AT = new Date('2026-11-22T12:00:00Z');
const VERDICT: ManifestVerdict = { ready: notReady('Invalid', 'of the test'), stalled: true };
const SEEN = { generation: 2, requestedAt: 'noon' };

type Transition = 'begin' | 'applied' | 'handedOver' | 'failed' | 'invalidate';

function apply(state: PipelineState, event: Transition, seen = SEEN): void {
  if (event === 'begin') state.begin(seen);
  else if (event === 'applied') state.applied(seen.generation, VERDICT, false);
  else state[event]();
}

function after(events: readonly Transition[]): PipelineState {
  const state = new PipelineState('u1', AT);
  for (const event of events) apply(state, event);
  return state;
}

describe('a Pipeline object', () => {
  const histories: Record<string, [events: Transition[], applied: boolean]> = {
    'is applied when it is first seen': [[], false],
    'is not applied again after it was applied': [['begin', 'applied'], true],
    'is applied again after a change': [['begin', 'applied', 'invalidate'], false],
    'is applied again after a change during its apply': [['begin', 'invalidate', 'applied'], false],
    'is applied once for several changes': [
      ['begin', 'invalidate', 'invalidate', 'applied', 'begin', 'applied'],
      true,
    ],
    'is applied again after an error': [['begin', 'failed'], false],
    'is applied again after an error even if it was applied before': [
      ['begin', 'applied', 'invalidate', 'begin', 'failed'],
      false,
    ],
    'is left alone after a retry succeeded': [['begin', 'failed', 'begin', 'applied'], true],
    'is applied when its pipeline belongs to another object and it was never applied': [
      ['begin', 'handedOver'],
      false,
    ],
    'keeps its result when its pipeline belongs to another object': [
      ['begin', 'applied', 'invalidate', 'begin', 'handedOver'],
      true,
    ],
    'is applied again when it was handed over during a change': [
      ['begin', 'applied', 'invalidate', 'begin', 'invalidate', 'handedOver'],
      false,
    ],
  };
  test.each(Object.entries(histories))('%s', (_, [events, applied]) => {
    expect(after(events).currentVerdict(SEEN)).toBe(applied ? VERDICT : undefined);
  });

  test.each([
    ['an object of another generation', { ...SEEN, generation: 3 }],
    ['an object with a new request for sources', { ...SEEN, requestedAt: 'one' }],
  ])('%s is applied, and the result of the earlier apply is still known', (_, next) => {
    const state = after(['begin', 'applied']);
    expect(state.currentVerdict(next)).toBeUndefined();
    expect(state.lastVerdict).toBe(VERDICT);
    apply(state, 'begin', next);
    apply(state, 'applied', next);
    expect([state.currentVerdict(next), state.currentVerdict(SEEN)]).toEqual([VERDICT, undefined]);
  });

  test('keeps whether it is paused if an apply does not say', () => {
    const state = new PipelineState('u1', AT);
    state.applied(2, VERDICT, true);
    state.applied(3, VERDICT, undefined);
    expect(state.paused).toBe(true);
  });

  /** One apply after the other. Any number of changes may come during an apply and between two applies. */
  const changes = array(constant<Transition>('invalidate'), { maxLength: 2 });
  const end = constantFrom<Transition>('applied', 'failed', 'handedOver');
  const run = tuple(changes, end, changes).map(([during, ended, later]) => ({ during, ended, later }));

  test('never loses a change, and is never applied without one', () => {
    assert(
      property(array(run, { maxLength: 8 }), (runs) => {
        const events = runs.flatMap(({ during, ended, later }): Transition[] => [
          'begin',
          ...during,
          ended,
          ...later,
        ]);
        const last = runs.at(-1);
        const isSettled =
          last !== undefined &&
          last.during.length === 0 &&
          last.later.length === 0 &&
          last.ended !== 'failed' &&
          runs.some(({ ended }) => ended === 'applied');
        expect(after(events).currentVerdict(SEEN) !== undefined).toBe(isSettled);
      }),
    );
  });
});

describe('the states of Pipeline objects', () => {
  const seen: PipelineProjection = {
    namespace: 'blue',
    name: 'app',
    uid: 'u1',
    resourceVersion: '1',
    generation: 2,
    finalizers: [],
    configMaps: [],
    secrets: [],
  };

  test('have one entry for each object', () => {
    const states = new PipelineStates();
    expect(states.of({ ...seen, generation: 3 }, new Date())).toBe(states.of(seen, AT));
  });

  test('start again with another object of the same name, even while work for the earlier one runs', () => {
    const states = new PipelineStates();
    const before = states.of(seen, AT);
    before.begin(SEEN);
    const later = states.of({ ...seen, uid: 'u2' }, AT);
    before.applied(2, VERDICT, false);
    expect(later.currentVerdict(SEEN)).toBeUndefined();
  });

  test('find an object by its row until the object is forgotten', () => {
    const states = new PipelineStates();
    states.of(seen, AT);
    expect(states.keyOfRow(7)).toBeUndefined();
    states.rowKnown('blue/app', { id: 7 });
    expect(states.keyOfRow(7)).toBe('blue/app');
    states.forget('blue/app');
    expect(states.keyOfRow(7)).toBeUndefined();
  });
});
