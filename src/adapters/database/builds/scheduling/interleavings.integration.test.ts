import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { giveTurnsToTeam } from '#flows/builds/give-turns.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import type { BuildRef } from '#flows/names.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { INTERLEAVINGS } from '#testing/scheduling/runs.ts';
import { weighted } from '#testing/scheduling/weighted.ts';
import { endOn, followOn, scheduleOn, stateOn, triggerOn } from '#testing/stores/schedule.ts';
import { eventsOf, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();
let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());

const JOBS: Job[] = [
  { ...job('unit', get('git.app'), task('test')), concurrency: 2 },
  { ...job('lint', get('git.app'), get('git.tools'), task('lint')), serialGroups: ['machine'] },
  job('image', get('git.app', { passed: ['unit', 'lint'] }), task('build')),
  {
    ...job('deploy', get('git.app', { passed: ['image'] }), get('git.tools'), task('roll out')),
    serialGroups: ['machine'],
  },
  {
    ...job('promote', get('git.app', { passed: ['unit'] }), task('promote')),
    concurrency: 2,
    serialGroups: ['machine'],
  },
  { ...job('preview', get('git.app', { passed: ['unit'] }), task('show')), interruptible: true },
];
const RESOURCES = ['git.app', 'git.tools'];

/** How often each kind of event is drawn. */
const WEIGHTS = {
  version: 3,
  end: 4,
  fail: 1,
  trigger: 1,
  triggerVersion: 1,
  pin: 1,
  unpin: 1,
  disable: 1,
  enable: 1,
  pauseJob: 1,
  unpauseJob: 1,
  pause: 1,
  unpause: 1,
  cancel: 1,
  retry: 1,
} as const;
type Kind = keyof typeof WEIGHTS;
const drawnEvent = fc.record({
  kind: weighted(WEIGHTS),
  targetIndex: fc.nat(11),
  versionIndex: fc.nat(11),
  waitMs: fc.nat(3),
});
type DrawnEvent = typeof drawnEvent extends fc.Arbitrary<infer Drawn> ? Drawn : never;
const drawnActors = fc.array(fc.array(drawnEvent, { minLength: 6, maxLength: 16, size: 'max' }), {
  minLength: 3,
  maxLength: 3,
});

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}

class World {
  #pipeline = 0;
  #lastRef = 0;
  readonly #scopes = new Map<string, number>();

  async begin(): Promise<void> {
    await stores.empty();
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 4 });
    const definition = samplePipeline({ resources: RESOURCES.map((name) => resource(name)), jobs: JOBS });
    const saved = await stores.pipelines.savePipeline(toSave(definition));
    this.#pipeline = saved.id;
    for (const { name, scope } of saved.resources) this.#scopes.set(name, scope);
  }

  /** Decides on the pipeline and, after a pause, gives turns. */
  async schedule(pauseMs: number): Promise<void> {
    await scheduleOn(stores, this.#pipeline, now());
    await sleep(pauseMs);
    for (const team of await stores.builds.teamsWithQueue())
      await giveTurnsToTeam(team, stores.builds, now());
  }

  /** Expects that no job, serial group or team runs more builds than its limit. */
  async expectLimits(): Promise<void> {
    const exceeded = await stores.pool.any(rows<{ name: string }>()`
      WITH running AS (SELECT j.name, j.concurrency, j.serial_groups FROM builds b JOIN jobs j ON j.id = b.job_id
        WHERE b.admitted_at IS NOT NULL AND b.ended_at IS NULL)
      SELECT name FROM running GROUP BY name, concurrency HAVING count(*) > concurrency
      UNION ALL SELECT g FROM running, unnest(serial_groups) g GROUP BY g HAVING count(DISTINCT name) > 1
      UNION ALL SELECT 'the team' FROM running HAVING count(*) > 4`);
    expect(exceeded).toEqual([]);
  }

  async act({ kind, targetIndex, versionIndex }: DrawnEvent): Promise<void> {
    const name = pick(RESOURCES, targetIndex) ?? '';
    const names = {
      resource: { ...APP, resource: name },
      job: { ...APP, job: pick(JOBS, targetIndex)?.name ?? '' },
    };
    const { actions } = stores;
    const acts: Record<Kind, () => Promise<unknown>> = {
      version: () => this.#findVersion(name),
      end: () => this.#end(targetIndex, 'end'),
      fail: () => this.#end(targetIndex, 'fail'),
      trigger: () => triggerOn(stores, names.job, 'ann', now()),
      pause: () => actions.pausePipeline(APP, 'ann'),
      unpause: () => actions.unpausePipeline(APP),
      pauseJob: () => actions.pauseJob(names.job, 'ann'),
      unpauseJob: () => actions.unpauseJob(names.job),
      unpin: () => actions.unpin(names.resource),
      pin: () =>
        this.#toVersion(name, versionIndex, (version) => actions.pin(names.resource, { version, by: 'ann' })),
      disable: () =>
        this.#toVersion(name, versionIndex, (version) =>
          actions.disableVersion(names.resource, version, 'ann'),
        ),
      enable: () =>
        this.#toVersion(name, versionIndex, (version) => actions.enableVersion(names.resource, version)),
      triggerVersion: () =>
        this.#toVersion(name, versionIndex, (version) =>
          triggerVersion(
            names.resource,
            { version, by: 'ann' },
            { ...stores, notifications: { notify: () => undefined }, now },
          ),
        ),
      cancel: () => this.#toBuild(targetIndex, (ref) => actions.cancelBuild(ref, 'ann')),
      retry: () => this.#toBuild(targetIndex, (ref) => actions.retryBuild(ref, 'ann')),
    };
    await acts[kind]();
  }

  async #toVersion(name: string, index: number, act: (version: number) => Promise<unknown>): Promise<void> {
    const versions = await stores.pool.anyFirst(rows<{ id: number }>()`
      SELECT id FROM versions WHERE scope_id = ${this.#scopes.get(name) ?? 0} ORDER BY id DESC LIMIT 6`);
    const version = pick(versions, index);
    if (version !== undefined) await act(version);
  }

  async #toBuild(index: number, act: (ref: BuildRef) => Promise<unknown>): Promise<void> {
    const builds = await stores.pool.any(rows<{ job: string; number: string }>()`
      SELECT j.name AS job, CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number
      FROM builds b JOIN jobs j ON j.id = b.job_id ORDER BY b.id DESC LIMIT 8`);
    const build = pick(builds, index);
    if (build !== undefined) await act({ ...APP, ...build });
  }

  async #findVersion(name: string): Promise<void> {
    const scope = this.#scopes.get(name) ?? 0;
    const at = now();
    await stores.checks.requestCheck({ ...APP, resource: name }, 'manual', at);
    const opened = await stores.checks.openRun([scope], 'manual', at);
    if (opened === undefined) return;
    this.#lastRef += 1;
    const versions = [{ ref: String(this.#lastRef) }];
    await stores.checks.recordCheck({ run: opened.run, scope, versions, log: '' }, at);
    await stores.checks.closeRun(opened.run, at);
  }

  async #end(index: number, ending: 'end' | 'fail'): Promise<void> {
    const build = pick(await stores.builds.openAttempts(), index);
    if (build === undefined) return;
    const state = await stateOn(stores, build.id, build.attempt);
    const facts = await stores.builds.attemptFacts(build.id, build.attempt);
    if (ending === 'fail' || facts?.cancelled !== undefined) {
      const outcome = facts?.cancelled !== undefined ? 'cancelled' : 'failed';
      await endOn(stores, build.id, build.attempt, {
        outcome,
        reason: outcome === 'failed' ? 'StepFailed' : 'Cancelled',
        message: '',
        at: now(),
      });
      return;
    }
    const events = eventsOf(state?.steps.map(({ id }) => id) ?? [], now().toISOString());
    await followOn(stores, build.id, build.attempt, events);
  }

  /** Runs the events of each actor in order, beside two schedulers and an observer of the limits. */
  async round(actors: readonly DrawnEvent[][]): Promise<void> {
    const stop = new AbortController();
    const schedulers = [0, 3].map(async (pauseMs) => {
      while (!stop.signal.aborted) await this.schedule(pauseMs);
    });
    const observer = (async () => {
      while (!stop.signal.aborted) await this.expectLimits();
    })();
    const acting = actors.map(async (events) => {
      for (const event of events) {
        await this.act(event);
        await sleep(event.waitMs);
      }
    });
    await Promise.all(acting);
    stop.abort();
    await Promise.all([...schedulers, observer]);
  }

  /** Schedules until every request is decided. */
  async settle(): Promise<void> {
    while ((await stores.builds.pipelinesToSchedule(10)).length > 0) await this.schedule(0);
  }

  /** Unpauses the pipeline, then schedules and ends builds until there are no more. */
  async finish(): Promise<void> {
    await stores.actions.unpausePipeline(APP);
    for (let round = 0; round < 500; round += 1) {
      await this.settle();
      await this.schedule(0);
      if ((await stores.builds.openAttempts()).length === 0) return;
      await this.#end(0, 'end');
    }
    throw new Error('Builds follow upon builds without end.');
  }

  /** Decides on every job once more. Returns the builds that the earlier decisions should have made. */
  async forgottenBuilds(): Promise<string[]> {
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    const { builds } = await scheduleOn(stores, this.#pipeline, now());
    return builds.map((build) => `${build.job} ${build.number}`);
  }

  /** Sets of versions that a job built automatically more than once. */
  async duplicateBuilds(): Promise<unknown> {
    return await stores.pool.any(rows()`
      SELECT name, versions, count(*) FROM (
        SELECT j.name, array_agg(i.version_id ORDER BY i.position) AS versions FROM builds b
        JOIN jobs j ON j.id = b.job_id
        JOIN build_inputs i ON i.build_id = b.id WHERE i.used
        AND b.cause ->> 'kind' IN ('version', 'ready') GROUP BY j.name, b.id) AS sets
      GROUP BY 1, 2 HAVING count(*) > 1`);
  }

  /**
   * Rows that break one of two rules: the good versions are exactly the versions that good builds took, and
   * the numbers of a job's builds have no gaps.
   */
  async inconsistentRows(): Promise<unknown> {
    return await stores.pool.any(rows()`
      (SELECT b.job_id, i.resource_id, i.version_id, b.id FROM builds b JOIN build_inputs i ON i.build_id = b.id
        WHERE b.status IN ('succeeded', 'warning') EXCEPT SELECT job_id, resource_id, version_id, build_id
        FROM good_versions)
      UNION ALL
      (SELECT job_id, resource_id, version_id, build_id FROM good_versions EXCEPT
        SELECT b.job_id, i.resource_id, i.version_id, b.id FROM builds b JOIN build_inputs i ON i.build_id = b.id
        WHERE b.status IN ('succeeded', 'warning'))
      UNION ALL
      SELECT j.id, j.next_number, count(*), 0 FROM jobs j JOIN builds b ON b.job_id = j.id AND b.retry = 0
      GROUP BY 1, 2 HAVING count(*) <> j.next_number - 1`);
  }
}

const EVENTS_PER_ROUND = 3;

/** Splits the actors' events into rounds. Each round has a few events of each actor. */
function roundsOf(actors: readonly DrawnEvent[][]): DrawnEvent[][][] {
  const mostEvents = Math.max(...actors.map((events) => events.length));
  return Array.from({ length: Math.ceil(mostEvents / EVENTS_PER_ROUND) }, (_, round) =>
    actors.map((events) => events.slice(round * EVENTS_PER_ROUND, (round + 1) * EVENTS_PER_ROUND)),
  );
}

test('no interleaving of decisions loses a build, makes it twice or exceeds a limit', async () => {
  let builds = 0;
  await fc.assert(
    fc.asyncProperty(drawnActors, async (actors) => {
      const world = new World();
      await world.begin();
      for (const events of roundsOf(actors)) {
        await world.round(events);
        await world.settle();
        expect(await world.forgottenBuilds()).toEqual([]);
      }
      await world.finish();
      expect(await world.forgottenBuilds()).toEqual([]);
      expect(await world.duplicateBuilds()).toEqual([]);
      expect(await world.inconsistentRows()).toEqual([]);
      builds += await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM builds`);
    }),
    { numRuns: INTERLEAVINGS, endOnFailure: true },
  );
  expect(builds).toBeGreaterThan(INTERLEAVINGS);
}, 600_000);
