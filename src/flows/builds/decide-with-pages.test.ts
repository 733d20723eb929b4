import { describe, expect, test } from '@jest/globals';
import type { DecidedBuilds, Decision } from '#domain/scheduling/decision.ts';
import { PAGE_ROWS, type Facts, type NeededPage } from '#domain/scheduling/facts.ts';
import type { TurnConstraints } from '#domain/scheduling/start-queued.ts';
import { decideAndWrite, decideWithPages } from './decide-with-pages.ts';
import type { GatheredFacts, PipelineTransaction, WriteOptions } from './schedule-ports.ts';

const DECISION: DecidedBuilds = {
  builds: [],
  waiting: [],
  refused: [],
  settled: [],
  unfinished: [],
  needs: [],
};
const NEED: NeededPage = { kind: 'used', job: 1, get: 0, from: 7 };
const FREE: TurnConstraints = { paused: false, serialGroups: [] };

/** A transaction whose pages have one row each. `reads` lists what was read, `written` what was written. */
function transaction() {
  const reads: string[] = [];
  const written: { decision: Decision; options: WriteOptions }[] = [];
  const facts: GatheredFacts = {
    paused: false,
    resources: [],
    jobs: [],
    passes: [],
    used: [{ job: 1, get: 0, versions: [9], end: false }],
    ids: new Map([[9, 90]]),
    turnConstraints: new Map<number, TurnConstraints>([
      [1, FREE],
      [2, { ...FREE, concurrency: 1 }],
      [3, FREE],
    ]),
    more: false,
  };
  const tx: PipelineTransaction = {
    facts: async (rows) => {
      reads.push(`newest ${rows}`);
      return facts;
    },
    older: async (needs, rows) => {
      reads.push(`${needs.length} older ${rows}`);
      const used = [{ job: 1, get: 0, from: 7, versions: [7 - reads.length], end: false }];
      return { passes: [], used, ids: new Map([[7 - reads.length, reads.length]]) };
    },
    interruptFacts: async ({ jobs, versions }) => {
      reads.push(`open builds of ${String(jobs)}, origins of ${String(versions)}`);
      return { open: [{ id: 70, job: 2, inputs: [] }], origins: new Map() };
    },
    write: async (decision, options) => {
      written.push({ decision, options });
      return { made: [], interrupted: [] };
    },
  };
  return { tx, reads, written, facts };
}

/** A decision that needs older pages until it has this many. Adds the facts of each call to `seen`. */
const needing =
  (pages: number, seen: Facts[] = []) =>
  (facts: Facts): DecidedBuilds => {
    seen.push(facts);
    return { ...DECISION, needs: facts.used.length < pages && !facts.exhausted ? [NEED] : [] };
  };

describe('a decision with pages', () => {
  test('the newest pages are enough for one decision', async () => {
    const { tx, reads } = transaction();
    await decideWithPages(tx, { decide: needing(1) });
    expect(reads).toEqual(['newest 20']);
  });

  test('a decision is repeated with each older page that it needs, added to the pages before', async () => {
    const { tx, reads } = transaction();
    const seen: Facts[] = [];
    const { facts } = await decideWithPages(tx, { decide: needing(3, seen) });
    expect(reads).toEqual(['newest 20', '1 older 200', '1 older 2000']);
    expect(seen.map(({ used }) => used.length)).toEqual([1, 2, 3]);
    expect(facts.used.map(({ versions }) => versions)).toEqual([[9], [5], [4]]);
    expect([...facts.ids]).toEqual([
      [9, 90],
      [5, 2],
      [4, 3],
    ]);
  });

  test('a decision uses what it has once there are no older pages', async () => {
    const { tx, reads } = transaction();
    const seen: Facts[] = [];
    const { facts } = await decideWithPages(tx, { decide: needing(100, seen) });
    expect(reads).toHaveLength(PAGE_ROWS.length);
    expect(seen.map(({ exhausted }) => exhausted)).toEqual([...PAGE_ROWS.map(() => undefined), true]);
    expect(facts.exhausted).toBe(true);
  });

  test('a decision is written with row ids of versions and with the jobs whose builds need no turn', async () => {
    const { tx, written } = transaction();
    const cause = { kind: 'version', resource: 1, version: 9 } as const;
    const build = { job: 1, versions: [9, 3], cause, state: 'pending' } as const;
    const at = new Date(0);
    await decideAndWrite(tx, at, {
      decide: () => ({ ...DECISION, builds: [{ ...build, versions: [9, 3] }] }),
    });
    expect(written).toEqual([
      {
        decision: {
          ...DECISION,
          builds: [{ ...build, versions: [90, 3], cause: { ...cause, version: 90 } }],
          interrupted: [],
        },
        options: { startAtOnce: new Set([1, 3]), at },
      },
    ]);
  });

  test('a build of an interruptible job is written with the open builds that it interrupts', async () => {
    const { tx, reads, written, facts } = transaction();
    const get = { resource: 1, trigger: true, passed: [], every: true, baseline: 0, unused: [9] };
    facts.jobs = [{ id: 2, name: 'e2e', paused: false, interruptible: true, gets: [get], requests: [] }];
    const cause = { kind: 'version', resource: 1, version: 9 } as const;
    const build = { job: 2, versions: [9], cause, state: 'pending' } as const;
    await decideAndWrite(tx, new Date(0), {
      decide: () => ({ ...DECISION, builds: [{ ...build, versions: [9] }] }),
    });
    expect(reads).toEqual(['newest 20', 'open builds of 2, origins of 90']);
    expect(written.map(({ decision }) => decision.interrupted)).toEqual([[70]]);
  });
});
