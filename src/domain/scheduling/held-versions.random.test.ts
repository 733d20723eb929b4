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

/**
 * `version`: a resource gets a new version. `hooks`: the hooks of one version of a resource end. `builds`:
 * all active builds succeed.
 */
const drawnHappenings = fc.array(
  fc.record({ kind: fc.constantFrom('version', 'version', 'hooks', 'builds'), choice: fc.nat(11) }),
  { minLength: 4, maxLength: 30, size: 'max' },
);

const drawn = fc.record({
  pipeline: drawnPipeline.map((pipeline) => ({ ...pipeline, past: [] })),
  hooks: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  happenings: drawnHappenings,
});
type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never;

/** Applies what happens and then a decision. Returns the builds of the decision. */
function happen(history: History, { kind, choice }: Drawn['happenings'][number]): HistoryBuild[] {
  const resource = history.resources[choice % history.resources.length];
  if (resource === undefined) return [];
  if (kind === 'version') addVersion(history, resource.id);
  else if (kind === 'builds') succeed(history);
  else endHooksOfOne(resource, choice);
  return applyDecision(history, decideFromHistory(history));
}

function endHooksOfOne(resource: HistoryResource, which: number): void {
  const { held = [] } = resource;
  if (held.length > 0) release(resource, held[which % held.length] ?? 0);
}

/**
 * All gets trigger. A get that does not trigger takes the version that is the newest when the build is
 * created, so hooks would change its version by delaying the build.
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
 * The history at its end: no hooks run, and all builds that can be created have been created and have
 * succeeded.
 */
function play(example: Drawn, withHooks: boolean): History {
  const history = drawnHistory(example, withHooks);
  for (const happening of example.happenings) happen(history, happening);
  for (const resource of history.resources) resource.held = [];
  while (decideAndSucceed(history));
  return history;
}

/** Creates the builds that are due and lets all builds succeed. Returns whether there were any. */
function decideAndSucceed(history: History): boolean {
  const made = applyDecision(history, decideFromHistory(history));
  return succeed(history) || made.length > 0;
}

/** Lets all active builds succeed. Returns whether there were any. */
function succeed(history: History): boolean {
  const active = history.builds.filter(({ status }) => isActive(status));
  for (const build of active) build.status = 'succeeded';
  return active.length > 0;
}

/**
 * For each trigger, the versions that builds of its job took: all of them if none may be skipped, otherwise
 * only whether the newest version is among them.
 */
function triggeredVersions(history: History): unknown[] {
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

test('a pipeline with hooks builds the same versions in the end as one without, whenever the hooks end', () => {
  fc.assert(
    fc.property(drawn, (example) => {
      expect(triggeredVersions(play(example, true))).toEqual(triggeredVersions(play(example, false)));
    }),
    { numRuns: RUNS },
  );
});

test('no automatic build takes a version whose hooks run', () => {
  fc.assert(
    fc.property(drawn, (example) => {
      const history = drawnHistory(example, true);
      for (const happening of example.happenings) {
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
