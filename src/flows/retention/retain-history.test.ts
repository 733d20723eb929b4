import { expect, test } from '@jest/globals';
import { retainHistory } from './retain-history.ts';
import type { OldBuilds, RetentionTransaction, RetentionTurn, TurnOf } from './retention-ports.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const PINNED = 11;

const builds: OldBuilds['builds'] = Array.from({ length: 11 }, (_, index) => ({
  id: index + 1,
  status: 'failed',
  createdAt: LONG_AGO,
  endedAt: LONG_AGO.getTime(),
  inputs: index + 1 === PINNED ? [{ scope: 1, version: PINNED }] : [],
  outputs: [],
}));
const versions = [1, 2].map((id) => ({ id, foundAt: LONG_AGO.getTime(), inUse: false }));

/** Retention with these numbers of turns of jobs and resources, and of records in each transaction. */
function retentionWith(remaining: Record<TurnOf | 'records', number>, step: () => void) {
  const turnOf = (of: TurnOf): RetentionTurn | undefined => {
    if (remaining[of] === 0) return undefined;
    remaining[of] -= 1;
    return { of, id: 1, pipeline: 1, from: 0, policy: { days: 30 } };
  };
  const tx: RetentionTransaction = {
    nextTurn: async (of, since) => {
      expect(since).toEqual(new Date('2026-11-22T06:00:00Z'));
      return turnOf(of);
    },
    oldBuilds: async () => ({
      builds,
      pinned: new Set([PINNED]),
      oldestRetained: 100,
      oldestGoodRetained: 100,
    }),
    downstreamFacts: async () => undefined,
    removeBuilds: async () => undefined,
    oldVersions: async () => ({ versions, newest: [] }),
    forgetVersions: async () => undefined,
    leaveTurn: async () => undefined,
    removeOldRevisions: async () => 0,
    removeRecords: async () => remaining.records,
  };
  return {
    now: async () => NOW,
    async withHistory<T>(work: (transaction: RetentionTransaction) => Promise<T>): Promise<T> {
      step();
      return await work(tx);
    },
  };
}

test('retention runs until nothing is left, or for two seconds', async () => {
  let elapsed = 0;
  const remaining = { jobs: 3, resources: 2, records: 0 };
  const retention = retentionWith(remaining, () => (elapsed += 900));
  const ports = { elapsed: () => elapsed, retention };
  expect(await retainHistory(ports)).toEqual({
    removed: { builds: 30, logs: 3, versions: 0, records: 0 },
    more: true,
  });
  expect(await retainHistory(ports)).toEqual({
    removed: { builds: 0, logs: 0, versions: 4, records: 0 },
    more: false,
  });
});

test('records are deleted when there is no history to delete', async () => {
  let elapsed = 0;
  const retention = retentionWith({ jobs: 0, resources: 0, records: 7 }, () => (elapsed += 1500));
  expect(await retainHistory({ elapsed: () => elapsed, retention })).toEqual({
    removed: { builds: 0, logs: 0, versions: 0, records: 14 },
    more: true,
  });
});
