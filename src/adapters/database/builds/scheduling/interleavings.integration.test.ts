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

/** How often each is drawn. */
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
  one: fc.nat(11),
  other: fc.nat(11),
  wait: fc.nat(3),
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
  #named = 0;
  readonly #scopes = new Map<string, number>();

  async begin(): Promise<void> {
    await stores.empty();
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 4 });
    const definition = samplePipeline({ resources: RESOURCES.map((name) => resource(name)), jobs: JOBS });
    const saved = await stores.pipelines.savePipeline(toSave(definition));
    this.#pipeline = saved.id;
    for (const { name, scope } of saved.resources) this.#scopes.set(name, scope);
  }

  async schedule(slow: number): Promise<void> {
    await scheduleOn(stores, this.#pipeline, now());
    await sleep(slow);
    for (const team of await stores.builds.teamsWithQueue())
      await giveTurnsToTeam(team, stores.builds, now());
  }

  /** Whatever is asked of it, a job runs only as many builds as it may, and so do its groups and its team. */
  async look(): Promise<void> {
    const over = await stores.pool.any(rows<{ what: string }>()`
      WITH running AS (SELECT j.name, j.concurrency, j.serial_groups FROM builds b JOIN jobs j ON j.id = b.job_id
        WHERE b.admitted_at IS NOT NULL AND b.ended_at IS NULL)
      SELECT name AS what FROM running GROUP BY name, concurrency HAVING count(*) > concurrency
      UNION ALL SELECT g FROM running, unnest(serial_groups) g GROUP BY g HAVING count(DISTINCT name) > 1
      UNION ALL SELECT 'the team' FROM running HAVING count(*) > 4`);
    expect(over).toEqual([]);
  }

  async happen({ kind, one, other }: DrawnEvent): Promise<void> {
    const name = pick(RESOURCES, one) ?? '';
    const of = { resource: { ...APP, resource: name }, job: { ...APP, job: pick(JOBS, one)?.name ?? '' } };
    const { actions } = stores;
    const acts: Record<Kind, () => Promise<unknown>> = {
      version: () => this.#found(name),
      end: () => this.#end(one, 'end'),
      fail: () => this.#end(one, 'fail'),
      trigger: () => triggerOn(stores, of.job, 'ann', now()),
      pause: () => actions.pausePipeline(APP, 'ann'),
      unpause: () => actions.unpausePipeline(APP),
      pauseJob: () => actions.pauseJob(of.job, 'ann'),
      unpauseJob: () => actions.unpauseJob(of.job),
      unpin: () => actions.unpin(of.resource),
      pin: () => this.#toVersion(name, other, (version) => actions.pin(of.resource, { version, by: 'ann' })),
      disable: () =>
        this.#toVersion(name, other, (version) => actions.disableVersion(of.resource, version, 'ann')),
      enable: () => this.#toVersion(name, other, (version) => actions.enableVersion(of.resource, version)),
      triggerVersion: () =>
        this.#toVersion(name, other, (version) =>
          triggerVersion(
            of.resource,
            { version, by: 'ann' },
            { ...stores, notifications: { notify: () => undefined }, now },
          ),
        ),
      cancel: () => this.#toBuild(one, (ref) => actions.cancelBuild(ref, 'ann')),
      retry: () => this.#toBuild(one, (ref) => actions.retryBuild(ref, 'ann')),
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

  async #found(name: string): Promise<void> {
    const scope = this.#scopes.get(name) ?? 0;
    const at = now();
    await stores.checks.requestCheck({ ...APP, resource: name }, 'manual', at);
    const opened = await stores.checks.openRun([scope], 'manual', at);
    if (opened === undefined) return;
    this.#named += 1;
    const versions = [{ ref: String(this.#named) }];
    await stores.checks.recordCheck({ run: opened.run, scope, versions, log: '' }, at);
    await stores.checks.closeRun(opened.run, at);
  }

  async #end(index: number, how: 'end' | 'fail'): Promise<void> {
    const build = pick(await stores.builds.openAttempts(), index);
    if (build === undefined) return;
    const state = await stateOn(stores, build.id, build.attempt);
    const facts = await stores.builds.attemptFacts(build.id, build.attempt);
    if (how === 'fail' || facts?.cancelled !== undefined) {
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

  /** What the actors do, each in its order, beside two schedulers and somebody who looks. */
  async round(actors: readonly DrawnEvent[][]): Promise<void> {
    const over = new AbortController();
    const schedulers = [0, 3].map(async (slow) => {
      while (!over.signal.aborted) await this.schedule(slow);
    });
    const observer = (async () => {
      while (!over.signal.aborted) await this.look();
    })();
    const acting = actors.map(async (events) => {
      for (const event of events) {
        await this.happen(event);
        await sleep(event.wait);
      }
    });
    await Promise.all(acting);
    over.abort();
    await Promise.all([...schedulers, observer]);
  }

  /** Every request is decided. */
  async settle(): Promise<void> {
    while ((await stores.builds.pipelinesToSchedule(10)).length > 0) await this.schedule(0);
  }

  /** Nothing is paused and every request is decided. Then builds end until no new one comes. */
  async rest(): Promise<void> {
    await stores.actions.unpausePipeline(APP);
    for (let round = 0; round < 500; round += 1) {
      await this.settle();
      await this.schedule(0);
      if ((await stores.builds.openAttempts()).length === 0) return;
      await this.#end(0, 'end');
    }
    throw new Error('Builds follow upon builds without end.');
  }

  /** Decides on every job as if nothing had been decided: whatever was forgotten would be built now. */
  async forgotten(): Promise<string[]> {
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    const { builds } = await scheduleOn(stores, this.#pipeline, now());
    return builds.map((build) => `${build.job} ${build.number}`);
  }

  /** Sets of versions that came by themselves, and more than once. */
  async twice(): Promise<unknown> {
    return await stores.pool.any(rows()`
      SELECT name, versions, count(*) FROM (
        SELECT j.name, array_agg(i.version_id ORDER BY i.position) AS versions FROM builds b
        JOIN jobs j ON j.id = b.job_id
        JOIN build_inputs i ON i.build_id = b.id WHERE i.used
        AND b.cause ->> 'kind' IN ('version', 'ready') GROUP BY j.name, b.id) AS sets
      GROUP BY 1, 2 HAVING count(*) > 1`);
  }

  /** What good builds took is what passed, no more and no less; numbers have no gaps. */
  async wrong(): Promise<unknown> {
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

const AT_ONCE = 3;

/** A few events of each actor at a time. */
function roundsOf(actors: readonly DrawnEvent[][]): DrawnEvent[][][] {
  const most = Math.max(...actors.map((events) => events.length));
  return Array.from({ length: Math.ceil(most / AT_ONCE) }, (_, round) =>
    actors.map((events) => events.slice(round * AT_ONCE, (round + 1) * AT_ONCE)),
  );
}

test('no interleaving of decisions loses anything, builds it twice or exceeds a limit', async () => {
  let builds = 0;
  await fc.assert(
    fc.asyncProperty(drawnActors, async (actors) => {
      const world = new World();
      await world.begin();
      for (const events of roundsOf(actors)) {
        await world.round(events);
        await world.settle();
        expect(await world.forgotten()).toEqual([]);
      }
      await world.rest();
      expect(await world.forgotten()).toEqual([]);
      expect(await world.twice()).toEqual([]);
      expect(await world.wrong()).toEqual([]);
      builds += await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM builds`);
    }),
    { numRuns: INTERLEAVINGS, endOnFailure: true },
  );
  expect(builds).toBeGreaterThan(INTERLEAVINGS);
}, 600_000);
