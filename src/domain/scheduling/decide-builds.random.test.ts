import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { requestBuild } from '#testing/scheduling/actions-on-history.ts';
import {
  hasGoodBuilds,
  placesOfVersions,
  manualSetByBruteForce,
  setsByBruteForce,
} from '#testing/scheduling/brute-force.ts';
import { applyDecision, decideFromHistory, readyToWrite } from '#testing/scheduling/decide-in-memory.ts';
import { expectEqual } from '#testing/scheduling/expect-equal.ts';
import { gatherFacts } from '#testing/scheduling/gather-facts.ts';
import { activeAutomatic, addVersion, isQueued, jobOf, type History } from '#testing/scheduling/history.ts';
import { drawnEvents, drawnPipeline, happen, historyOf } from '#testing/scheduling/random-history.ts';
import { RUNS } from '#testing/scheduling/runs.ts';
import { decideBuilds } from './decide-builds.ts';
import type { Decision } from './decision.ts';
import type { Facts } from './facts.ts';

/** Rows per page. Most are so few that decisions need further pages. */
const rows = fc.constantFrom(1, 2, 3, 20);

function setsOf(decision: Decision, job: number): number[][] {
  return decision.builds.filter((build) => build.job === job).map(({ versions }) => versions);
}

/**
 * Plays a history. After every `eventsPerDecision` events it decides, calls `inspect`, and applies the
 * decision.
 */
function play(
  example: {
    pipeline: Parameters<typeof historyOf>[0];
    events: Parameters<typeof happen>[1][];
    rows: number;
  },
  inspect: (history: History, decision: Decision) => void,
  eventsPerDecision = 1,
): void {
  const history = historyOf(example.pipeline);
  for (const [index, event] of example.events.entries()) {
    happen(history, event);
    if (index % eventsPerDecision < eventsPerDecision - 1) continue;
    const decision = decideFromHistory(history, { rows: example.rows });
    inspect(history, decision);
    applyDecision(history, decision);
  }
}

const drawn = fc.record({ pipeline: drawnPipeline, events: drawnEvents, rows });

describe('in random pipelines with random histories', () => {
  test('a decision builds the same sets as a search through all combinations', () => {
    fc.assert(
      fc.property(drawn, (example) =>
        play(example, (history, decision) => {
          const sets = history.jobs.map(({ id }) => setsOf(decision, id));
          expectEqual(
            sets,
            history.jobs.map(({ id }) => setsByBruteForce(history, id)),
          );
        }),
      ),
      { numRuns: RUNS },
    );
  });

  test('a request gets a build of the newest set that is ready, or at least one reason', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        play(example, (history) => {
          for (const job of history.jobs) {
            const request = requestBuild(history, job);
            const decision = decideFromHistory(history, { jobs: [job.id], rows: example.rows });
            const made = decision.builds.filter(({ cause }) => cause.kind === 'manual');
            const expected = manualSetByBruteForce(history, job.id);
            const refused = decision.refused.find((refusal) => refusal.request === request);
            expectEqual(
              {
                made: made.map(({ versions }) => versions),
                hasReasons: (refused?.reasons.length ?? 0) > 0,
                superseded: made.filter(({ state }) => state === 'superseded'),
              },
              {
                made: expected === undefined ? [] : [expected],
                hasReasons: expected === undefined,
                superseded: [],
              },
            );
            job.requests = [];
          }
        });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('no set is built twice automatically, and no inputs come from contradicting builds', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        const built = new Set<string>();
        play(example, (history, decision) => {
          const wrong = decision.builds.filter(({ job, versions }) => {
            const key = `${job}: ${String(versions)}`;
            const isBuiltAgain = built.has(key) && !endedUnused(history, job, versions);
            built.add(key);
            return isBuiltAgain || !hasGoodBuilds(history, jobOf(history, job), versions);
          });
          expectEqual(wrong, []);
        });
      }),
      { numRuns: RUNS },
    );
  });

  test('a newest set supersedes queued ones, and automatic builds stay within their limit', () => {
    fc.assert(
      fc.property(drawn, (example) =>
        play(example, (history, decision) => {
          for (const { job, supersedes = [] } of decision.builds)
            for (const id of supersedes)
              expect(
                history.builds.filter((build) => build.id === id && build.job === job && isQueued(build)),
              ).toHaveLength(1);
          const after = structuredClone(history);
          applyDecision(after, decision);
          for (const job of after.jobs.filter(({ interruptible }) => !interruptible)) {
            const open = activeAutomatic(after, job.id).filter(({ cause }) => cause.kind === 'ready');
            expect(open.length).toBeLessThanOrEqual(job.concurrency ?? 1);
            if (job.supersede !== false)
              expect(open.filter((build) => isQueued(build)).length).toBeLessThanOrEqual(1);
          }
        }),
      ),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('a decision makes its builds in order, the newest set last', () => {
    fc.assert(
      fc.property(drawn, fc.integer({ min: 2, max: 6 }), (example, eventsPerDecision) =>
        play(
          example,
          (history, decision) => {
            for (const { id } of history.jobs) {
              const sets = setsOf(decision, id);
              const places = sets.map((set) => placesOfVersions(history, jobOf(history, id), set));
              expectEqual(
                places.filter((set, index) =>
                  places.slice(0, index).some((earlier) => exceeds(earlier, set)),
                ),
                [],
              );
              const newest = manualSetByBruteForce(history, id);
              if (sets.some((set) => String(set) === String(newest))) expectEqual(sets.at(-1), newest);
            }
          },
          eventsPerDecision,
        ),
      ),
      { numRuns: RUNS },
    );
  });

  test('the order of facts and jobs does not matter', () => {
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.nat()), (example, chance) => {
        play(example, (history, decision) => {
          const facts = gatherFacts(
            history,
            history.jobs.map(({ id }) => id),
            1000,
          );
          const expected = decideBuilds(facts);
          expectEqual(readyToWrite(history, facts, expected), decision);
          expectEqual(decideBuilds(shuffled(facts, chance)), expected);
        });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('the order of upstream builds does not matter, nor whether jobs are decided together', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        play(example, (history, decision) => {
          const idAboveAll = Math.max(0, ...history.builds.map(({ id }) => id)) + 1;
          const reversed = {
            ...history,
            builds: history.builds.map((build) => ({ ...build, id: idAboveAll - build.id })),
          };
          const alone = history.jobs.map(({ id }) =>
            setsOf(decideFromHistory(reversed, { jobs: [id], rows: example.rows }), id),
          );
          expectEqual(
            alone,
            history.jobs.map(({ id }) => setsOf(decision, id)),
          );
        });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('a second decision changes nothing', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        const history = historyOf(example.pipeline);
        for (const event of example.events) {
          happen(history, event);
          applyDecision(history, decideFromHistory(history, { rows: example.rows }));
          const second = decideFromHistory(history, { rows: example.rows });
          expectEqual(second.builds, []);
        }
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});

const arrivals = (maxLength: number) =>
  fc.array(fc.record({ resource: fc.integer({ min: 1, max: 3 }), decide: fc.nat(3) }), {
    maxLength,
    size: 'max',
  });

/**
 * Plays arrivals of versions. `rarely`: decides only after every 250 arrivals. Returns the versions of each
 * build, and all versions that builds should take.
 */
function builtFrom(arrived: { resource: number; decide: number }[], rarely: boolean): [number[][], number[]] {
  const history = historyOf({
    resources: 3,
    jobs: [
      {
        interruptible: false,
        gets: [0, 1, 2].map((resource) => ({ resource, trigger: true, every: true, passed: 0 })),
      },
    ],
    past: [],
  });
  const decideAll = (): void => {
    while (applyDecision(history, decideFromHistory(history)).length > 0);
  };
  for (const [index, { resource, decide }] of arrived.entries()) {
    addVersion(history, resource);
    if (rarely ? index % 250 === 249 : decide === 0) decideAll();
  }
  decideAll();
  const canBuild = history.resources.every(({ versions }) => versions.length > 0);
  const due = canBuild ? history.resources.flatMap(({ versions }) => versions.map(({ id }) => id)) : [];
  return [history.builds.map(({ inputs }) => inputs.map(({ version }) => version)), due];
}

describe('a job that every version triggers', () => {
  test.each([
    ['whenever decisions are taken', 40, false, Math.ceil(RUNS / 4)],
    ['when more versions wait than one decision takes', 300, true, Math.ceil(RUNS / 20)],
  ] as const)('leaves no version out and builds no set twice, %s', (_, maxArrivals, rarely, numRuns) => {
    fc.assert(
      fc.property(arrivals(maxArrivals), (arrived) => {
        const [built, due] = builtFrom(arrived, rarely);
        expect(new Set(built.map(String)).size).toBe(built.length);
        expect(new Set(built.flat())).toEqual(new Set(due));
        for (const [index, version] of (built.at(-1) ?? []).entries())
          expect(version).toBe(Math.max(...built.map((versions) => versions[index] ?? 0)));
      }),
      { numRuns },
    );
  });
});

/** Whether `one` is newer than `other` in some input and older in none. */
function exceeds(one: number[], other: number[]): boolean {
  return (
    String(one) !== String(other) && one.every((version, index) => version >= (other[index] ?? Infinity))
  );
}

/** Whether a build of this set ended without using its versions, so that the set may be built again. */
function endedUnused(history: History, job: number, versions: number[]): boolean {
  return history.builds.some(
    (build) =>
      build.job === job &&
      build.usedNothing === true &&
      String(build.inputs.map(({ version }) => version)) === String(versions),
  );
}

/** The facts with a random order of every list whose order has no meaning. */
function shuffled(facts: Facts, chance: fc.Stream<number>): Facts {
  const shuffle = <Item>(items: Item[]): Item[] =>
    items
      .map((item) => [chance.next().value, item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item);
  return {
    ...facts,
    resources: shuffle(facts.resources),
    passes: shuffle(facts.passes),
    used: shuffle(facts.used),
    jobs: shuffle(facts.jobs).map((job) => ({
      ...job,
      gets: job.gets.map((get) => ({ ...get, unused: shuffle(get.unused) })),
    })),
  };
}
