import { describe, expect, test } from '@jest/globals';
import type { PipelineProjection } from '#adapters/kubernetes/informers/projections.ts';
import { Store, type ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import { notReady } from './conditions.ts';
import { PipelineStates } from './pipeline-states.ts';
import { PipelineTriggers } from './pipeline-triggers.ts';

const AT = new Date('2026-11-22T12:00:00Z');
const NOW_MS = 1_000_000;
const VERDICT = { ready: notReady('Invalid', 'of the test'), stalled: true };

function pipeline(name: string, references: Partial<PipelineProjection> = {}): PipelineProjection {
  return {
    namespace: 'blue',
    name,
    uid: `uid of ${name}`,
    resourceVersion: '1',
    generation: 1,
    finalizers: [],
    configMaps: [],
    secrets: [],
    ...references,
  };
}

const APP = pipeline('app', { configMaps: ['text'] });
const LIB = pipeline('lib', { secrets: ['values'] });

/** Two applied Pipelines. `effects` returns the queued keys and the objects that must be applied again. */
function appliedPipelines() {
  const store = new Store<PipelineProjection>();
  const states = new PipelineStates();
  const added: string[] = [];
  [APP, LIB].forEach((seen, index) => {
    store.put(seen);
    const state = states.of(seen, AT);
    state.begin(seen);
    state.applied(seen.generation, VERDICT, false);
    states.rowKnown(`blue/${seen.name}`, { id: index + 1 });
  });
  const triggers = new PipelineTriggers({
    informers: { pipelines: { store }, pipelinesIn: () => [...store.values()] },
    queue: {
      add: (key) => void added.push(key),
      addAfter: (key, ms) => void added.push(`${key} after ${ms} ms`),
    },
    states,
    now: () => NOW_MS,
  });
  const effects = () => ({
    added,
    applyAgain: [APP, LIB]
      .filter((seen) => states.of(seen, AT).currentVerdict(seen) === undefined)
      .map(({ name }) => name),
  });
  return { triggers, states, effects };
}

const cronJob = { namespace: 'blue', name: 'app-check', uid: 'c1', resourceVersion: '1', pipeline: 'app' };
const reference = (
  name: string,
): ObjectChange<{ namespace: string; name: string; uid: string; resourceVersion: string }> => ({
  type: 'added',
  key: `blue/${name}`,
  object: { namespace: 'blue', name, uid: 'r1', resourceVersion: '1' },
});
const updated = (object: PipelineProjection): ObjectChange<PipelineProjection> => ({
  type: 'updated',
  key: 'blue/app',
  object,
  previous: APP,
});

describe('events that queue a Pipeline for reconciliation', () => {
  const cases: Record<
    string,
    [trigger: (triggers: PipelineTriggers) => void, added: string[], again: string[]]
  > = {
    'a new text queues its Pipeline': [
      (triggers) => triggers.objectChanged(updated({ ...APP, generation: 2 })),
      ['blue/app'],
      [],
    ],
    'a write of the status by the operator queues nothing': [
      (triggers) => triggers.objectChanged(updated({ ...APP, resourceVersion: '2', status: {} })),
      [],
      [],
    ],
    'a deletion timestamp queues its Pipeline': [
      (triggers) => triggers.objectChanged(updated({ ...APP, deletedAt: AT })),
      ['blue/app'],
      [],
    ],
    'a Pipeline that is gone is forgotten': [
      (triggers) => triggers.objectChanged({ type: 'deleted', key: 'blue/app', object: APP }),
      ['blue/app'],
      ['app'],
    ],
    'a deleted CronJob queues its Pipeline': [
      (triggers) => triggers.cronJobChanged({ type: 'deleted', key: 'blue/app-check', object: cronJob }),
      ['blue/app'],
      ['app'],
    ],
    'a created CronJob queues nothing': [
      (triggers) => triggers.cronJobChanged({ type: 'added', key: 'blue/app-check', object: cronJob }),
      [],
      [],
    ],
    'a changed ConfigMap queues the Pipelines that refer to it': [
      (triggers) => triggers.referenceChanged('configMap', reference('text')),
      ['blue/app'],
      ['app'],
    ],
    'a changed Secret queues the Pipelines that refer to it': [
      (triggers) => triggers.referenceChanged('secret', reference('values')),
      ['blue/lib'],
      ['lib'],
    ],
    'a Secret with the name of a referenced ConfigMap queues nothing': [
      (triggers) => triggers.referenceChanged('secret', reference('text')),
      [],
      [],
    ],
    'a changed Team queues all Pipelines of its namespace': [
      (triggers) => triggers.teamChanged('blue'),
      ['blue/app', 'blue/lib'],
      ['app', 'lib'],
    ],
    'a changed row queues its Pipeline for a later status update only': [
      (triggers) => triggers.rowChanged(2),
      ['blue/lib after 300 ms'],
      [],
    ],
    'a changed row of another object queues nothing': [(triggers) => triggers.rowChanged(9), [], []],
    'a change of all rows queues all Pipelines': [
      (triggers) => triggers.rowChanged('all'),
      ['blue/app after 300 ms', 'blue/lib after 300 ms'],
      [],
    ],
    'overdue checks queue their Pipeline': [
      (triggers) => triggers.checksOverdue([1]),
      ['blue/app after 300 ms'],
      [],
    ],
    'a key without an object queues nothing': [(triggers) => triggers.applyAgain('blue/gone'), [], []],
  };
  test.each(Object.entries(cases))('%s', (_, [trigger, added, applyAgain]) => {
    const { triggers, effects } = appliedPipelines();
    trigger(triggers);
    expect(effects()).toEqual({ added, applyAgain });
  });

  test.each([
    ['a short read of the facts delays the next status by the usual time', 10, 0, 300],
    ['a long read of the facts delays the next status by 20 times as long', 100, 0, 2000],
    ['the pause after a long read starts at its end', 100, 1600, 400],
    ['a read of the facts long ago does not delay the next status', 100, 2000, 300],
    ['even a very long read of the facts delays the next status by at most 5 s', 60_000, 0, 5000],
  ])('%s', (_, readMs, agoMs, delayMs) => {
    const { triggers, states, effects } = appliedPipelines();
    states.of(APP, AT).factsRead(NOW_MS - agoMs - readMs, NOW_MS - agoMs);
    triggers.rowChanged(1);
    expect(effects().added).toEqual([`blue/app after ${delayMs} ms`]);
  });

  test('checks that the status already reports as overdue queue nothing', () => {
    const { triggers, states, effects } = appliedPipelines();
    const stalled = { type: 'ChecksStalled', status: 'True' as const, reason: 'Overdue', message: 'late' };
    const conditions = [{ ...stalled, lastTransitionTime: AT.toISOString() }];
    states.get('blue/app')?.statusWritten({ conditions });
    triggers.checksOverdue([1, 2]);
    expect(effects().added).toEqual(['blue/lib after 300 ms']);
  });
});
