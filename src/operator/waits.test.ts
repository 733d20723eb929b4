import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { WaitingView } from '#flows/views/ports.ts';
import { Waits } from './waits.ts';

const APP = { team: 'main', pipeline: 'app' };
const facts = { id: 7, revision: 1, paused: false, jobs: [], resources: [] };
const reason = (code: 'NoVersion' | 'QuotaExceeded' | 'PodPending') => ({ code, message: `${code}.` });
const view: WaitingView = {
  jobs: [
    { name: 'unit', reasons: [reason('NoVersion'), reason('PodPending')] },
    { name: 'deploy', reasons: [] },
  ],
  builds: [{ job: 'unit', number: '3', reasons: [reason('QuotaExceeded')] }],
};

/** The `Waits` of one pipeline whose reasons take 10 ms to read. */
function setUp() {
  const state = { now: 0, reads: 0, refreshes: 0, isGone: false };
  const waits = new Waits({
    facts: async () => (state.isGone ? undefined : facts),
    waiting: async () => {
      state.reads += 1;
      state.now += 10;
      return view;
    },
    refresh: () => {
      state.refreshes += 1;
    },
    now: () => state.now,
  });
  return { state, waits };
}

describe('why the jobs and builds of a pipeline wait', () => {
  test('is the first reason of each job and build, builds first', async () => {
    const { waits } = setUp();
    expect((await waits.facts(APP))?.waiting).toEqual([
      { job: 'unit', number: '3', reason: reason('QuotaExceeded') },
      { job: 'unit', reason: reason('NoVersion') },
    ]);
    expect(waits.byReason()).toEqual([
      [{ what: 'build', reason: 'QuotaExceeded' }, 1],
      [{ what: 'job', reason: 'NoVersion' }, 1],
    ]);
    waits.stop();
    expect(waits.byReason()).toEqual([]);
  });

  test('is read again only after twenty times the time that the last read took', async () => {
    const { waits, state } = setUp();
    await waits.facts(APP);
    state.now += 199;
    expect((await waits.facts(APP))?.waiting).toHaveLength(2);
    expect(state.reads).toBe(1);
    state.now += 1;
    await waits.facts(APP);
    expect(state.reads).toBe(2);
    waits.stop();
  });

  test('is refreshed again even if its timer fired a moment early', async () => {
    const { waits, state } = setUp();
    await waits.facts(APP);
    state.now += 199;
    for (const times of [1, 2]) {
      await waits.facts(APP);
      await sleep(20);
      expect(state.refreshes).toBe(times);
    }
    waits.stop();
  });

  test('is forgotten with the pipeline', async () => {
    const { waits, state } = setUp();
    await waits.facts(APP);
    state.isGone = true;
    expect(await waits.facts(APP)).toBeUndefined();
    expect(waits.byReason()).toEqual([]);
  });

  test('is forgotten when its object is deleted, before anyone asks for the facts again', async () => {
    const { waits } = setUp();
    await waits.facts(APP);
    waits.forget(APP);
    expect(waits.byReason()).toEqual([]);
  });
});
