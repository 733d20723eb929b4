import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { applyDecision, decideFromHistory } from '#testing/scheduling/decide-in-memory.ts';
import {
  addVersion,
  newestOf,
  release,
  resourceOf,
  type History,
  type HistoryBuild,
  type HistoryResource,
} from '#testing/scheduling/history.ts';
import { drawnPipeline, historyOf } from '#testing/scheduling/random-history.ts';
import { RUNS } from '#testing/scheduling/runs.ts';
import { isActive } from './build-changes.ts';

/** Of resources: a new version, the end of some hooks of it. Of all: a decision, and all builds succeed. */
const drawnHappenings = fc.array(
  fc.record({ kind: fc.constantFrom('version', 'version', 'hooks', 'builds'), one: fc.nat(11) }),
  { minLength: 4, maxLength: 30, size: 'max' },
);

const drawn = fc.record({
  pipeline: drawnPipeline.map((pipeline) => ({ ...pipeline, past: [] })),
  hooks: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  happenings: drawnHappenings,
});
type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never;

/** What happens, and the decision that follows. */
function happen(history: History, { kind, one }: Drawn['happenings'][number]): HistoryBuild[] {
  const resource = history.resources[one % history.resources.length];
  if (resource === undefined) return [];
  if (kind === 'version') addVersion(history, resource.id);
  else if (kind === 'builds') succeed(history);
  else endSome(resource, one);
  return applyDecision(history, decideFromHistory(history));
}

function endSome(resource: HistoryResource, which: number): void {
  const { held = [] } = resource;
  if (held.length > 0) release(resource, held[which % held.length] ?? 0);
}

/**
 * What only comes along is the newest at the time of the build, and builds are made later: so all of it
 * triggers.
 */
function drawnHistory({ pipeline, hooks }: Drawn, withHooks: boolean): History {
  const history = historyOf(pipeline);
  for (const [index, job] of history.jobs.entries()) {
    job.hooks = withHooks && hooks[index] === true;
    job.interruptible = false;
    for (const get of job.gets) get.trigger = true;
  }
  return history;
}

/**
 * The history in the end, when no hooks run and every build that there is to make has been made and has
 * succeeded.
 */
function play(one: Drawn, withHooks: boolean): History {
  const history = drawnHistory(one, withHooks);
  for (const happening of one.happenings) happen(history, happening);
  for (const resource of history.resources) resource.held = [];
  while (decideAndSucceed(history));
  return history;
}

function decideAndSucceed(history: History): boolean {
  const made = applyDecision(history, decideFromHistory(history));
  return succeed(history) || made.length > 0;
}

function succeed(history: History): boolean {
  const active = history.builds.filter(({ status }) => isActive(status));
  for (const build of active) build.status = 'succeeded';
  return active.length > 0;
}

/**
 * What a trigger brought a job: all versions where none may be skipped, else only whether it had the newest.
 */
function taken(history: History): unknown[] {
  return history.jobs.flatMap((job) =>
    job.gets.flatMap(({ resource, trigger, every, passed }) => {
      if (!trigger) return [];
      const versions = history.builds
        .filter((build) => build.job === job.id)
        .flatMap(({ inputs }) => inputs.filter((input) => input.resource === resource))
        .map(({ version }) => version);
      const newest = newestOf(history, resource, true) ?? 0;
      const all = every && passed.length === 0 ? [...new Set(versions)].toSorted((a, b) => a - b) : [];
      return [{ job: job.id, resource, all, newest: versions.includes(newest) }];
    }),
  );
}

test('a pipeline with hooks gets the same builds in the end as without, whenever they end', () => {
  fc.assert(
    fc.property(drawn, (one) => {
      expect(taken(play(one, true))).toEqual(taken(play(one, false)));
    }),
    { numRuns: RUNS },
  );
});

test('no automatic build takes a version whose hooks run', () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const history = drawnHistory(one, true);
      for (const happening of one.happenings) {
        const inputs = happen(history, happening).flatMap((build) => build.inputs);
        const held = inputs.filter(
          ({ resource, version }) =>
            version >= Math.min(Infinity, ...(resourceOf(history, resource).held ?? [])),
        );
        expect(held).toEqual([]);
      }
    }),
    { numRuns: RUNS },
  );
});
