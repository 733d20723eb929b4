import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sql } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { isActive, isGood } from '#domain/scheduling/build-changes.ts';
import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { DecidedBuilds } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import { decideWithPages } from '#flows/builds/decide-with-pages.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { applyDecision, decideFromHistory } from '#testing/scheduling/decide-in-memory.ts';
import { jobOf, type History, type HistoryBuild } from '#testing/scheduling/history.ts';
import { drawnEvents, drawnPipeline, happen, historyOf } from '#testing/scheduling/random-history.ts';
import { GATHERED } from '#testing/scheduling/runs.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { gatherJobs } from './gather.ts';
import { decisionTransaction } from './schedule.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

/** The row ids of a history in the database, by the ids in the history. */
interface WrittenHistory {
  pipeline: number;
  versions: Map<number, number>;
  jobs: Map<number, number>;
  lastBuild: number;
}

async function writeHistory(history: History): Promise<WrittenHistory> {
  const definition = samplePipeline({
    resources: history.resources.map(({ name }) => resource(`git.${name}`)),
    jobs: history.jobs.map(({ name, gets }): Job => {
      const steps = gets.map(({ resource: id, trigger, passed }) =>
        get(`git.r${id}`, { trigger, passed: passed.map((upstream) => jobOf(history, upstream).name) }),
      );
      return job(name, ...steps);
    }),
  });
  const saved = await stores.pipelines.savePipeline(toSave(definition));
  const jobs = await idsByName('jobs', history.jobs);
  const resources = await idsByName('resources', history.resources, 'git.');
  const versions = new Map<number, number>();
  const historyVersions = history.resources.flatMap(({ id, versions: ofResource }) =>
    ofResource.map((version) => ({ resource: id, version: version.id, place: version.place })),
  );
  for (const { resource: id, version } of historyVersions.toSorted((a, b) => a.version - b.version)) {
    const row = await stores.pool.oneFirst(rows<{ id: number }>()`
      INSERT INTO versions (scope_id, digest, fields, found_at)
      SELECT scope_id, sha256(${String(version)}::bytea), '{}', now() FROM resources WHERE id = ${rowOf(resources, id)}
      RETURNING id`);
    versions.set(version, row);
  }
  const places = new Map<number, number>();
  for (const { version, place } of historyVersions.toSorted((a, b) => a.place - b.place)) {
    const next = sql.fragment`nextval(pg_get_serial_sequence('versions', 'id'))`;
    const row = await stores.pool.oneFirst(rows<{ place: number }>()`
      UPDATE versions SET place = ${isMoved(historyVersions, place) ? next : sql.fragment`place`}
      WHERE id = ${rowOf(versions, version)} RETURNING place`);
    places.set(place, row);
  }
  await writePeoplesDecisions(history, { jobs, resources, versions });
  for (const { id, gets } of history.jobs)
    for (const [position, { every, baseline, settled, floor }] of gets.entries())
      await stores.pool.query(rows()`
        UPDATE job_gets SET every = ${every}, dealt_with = ${rowUpTo(baseline, versions)},
          settled = ${rowUpTo(settled, versions)}, floor = ${floorIn(places, floor)}
        WHERE job_id = ${rowOf(jobs, id)} AND position = ${position}`);
  for (const build of history.builds.toSorted((a, b) => a.id - b.id))
    await writeBuild(build, { pipeline: saved.id, jobs, resources, versions });
  const lastBuild = await stores.pool.oneFirst(rows<{ id: number }>()`
    SELECT coalesce(max(id), 0) AS id FROM builds`);
  return { pipeline: saved.id, versions, jobs, lastBuild };
}

/** The lowest place in the database of a version at the floor or above; 0 if there is no such version. */
function floorIn(places: Map<number, number>, floor = 0): number {
  const above = [...places].filter(([place]) => place >= floor).map(([, row]) => row);
  return above.length === 0 ? 0 : Math.min(...above);
}

/**
 * Whether the version at this place needs a new place in the database. It does if the place of this version,
 * or of one below it, differs from its id: the order must stay the same.
 */
function isMoved(versions: readonly { version: number; place: number }[], place: number): boolean {
  return versions.some((version) => version.place !== version.version && version.place <= place);
}

interface Rows {
  jobs: Map<number, number>;
  resources: Map<number, number>;
  versions: Map<number, number>;
}

/** The row id of the newest version up to the mark; 0 if the mark is below all versions. */
function rowUpTo(mark: number, versions: Map<number, number>): number {
  const older = [...versions].filter(([id]) => id <= mark).map(([, row]) => row);
  return Math.max(0, ...older);
}

/** What people decided: pauses, pins, disabled versions. */
async function writePeoplesDecisions(history: History, { jobs, resources, versions }: Rows): Promise<void> {
  await stores.pool.query(rows()`UPDATE pipelines SET paused = ${history.paused}`);
  for (const { id, paused, interruptible, supersede = true, concurrency = null } of history.jobs)
    await stores.pool.query(rows()`
      UPDATE jobs SET paused = ${paused}, interruptible = ${interruptible}, supersede = ${supersede},
        concurrency = ${concurrency}
      WHERE id = ${rowOf(jobs, id)}`);
  for (const { id, pinned, versions: ofResource } of history.resources) {
    if (pinned !== undefined)
      await stores.pool.query(rows()`
        UPDATE resources SET pinned_version = ${rowOf(versions, pinned)} WHERE id = ${rowOf(resources, id)}`);
    for (const version of ofResource.filter(({ disabled }) => disabled))
      await stores.pool.query(rows()`
        UPDATE versions SET disabled = true WHERE id = ${rowOf(versions, version.id)}`);
  }
}

async function idsByName(table: 'jobs' | 'resources', items: { id: number; name: string }[], prefix = '') {
  const found =
    table === 'jobs'
      ? await stores.pool.any(rows<{ id: number; name: string }>()`SELECT id, name FROM jobs`)
      : await stores.pool.any(rows<{ id: number; name: string }>()`SELECT id, name FROM resources`);
  return new Map(items.map(({ id, name }) => [id, found.find((row) => row.name === prefix + name)?.id ?? 0]));
}

async function writeBuild(
  build: HistoryBuild,
  { pipeline, jobs, resources, versions }: Rows & { pipeline: number },
): Promise<void> {
  const id = await stores.pool.oneFirst(rows<{ id: number }>()`
    INSERT INTO builds (job_id, revision_id, number, cause, created_at, status, ended_at)
    SELECT ${rowOf(jobs, build.job)}, r.id, ${10_000 + build.id}, ${JSON.stringify(build.cause)}::jsonb,
    now(), ${build.status},
      CASE WHEN ${isActive(build.status)} THEN NULL ELSE now() END
    FROM revisions r WHERE r.pipeline_id = ${pipeline} RETURNING id`);
  for (const [position, input] of build.inputs.entries())
    await stores.pool.query(rows()`
      INSERT INTO build_inputs (build_id, position, nth, job_id, name, resource_id, version_id, used)
      VALUES (${id}, ${position}, ${nthOf(build, position)}, ${rowOf(jobs, build.job)}, 'x',
      ${rowOf(resources, input.resource)},
        ${rowOf(versions, input.version)}, ${build.usedNothing !== true})`);
  if (!isGood(build.status)) return;
  for (const taken of [...build.inputs, ...build.outputs])
    await stores.pool.query(rows()`
      INSERT INTO good_versions (job_id, resource_id, version_id, build_id)
      VALUES (${rowOf(jobs, build.job)}, ${rowOf(resources, taken.resource)}, ${rowOf(versions, taken.version)}, ${id})
      ON CONFLICT DO NOTHING`);
}

/** The input's position among the inputs of the same resource. */
function nthOf({ inputs }: HistoryBuild, position: number): number {
  return inputs.slice(0, position).filter(({ resource: id }) => id === inputs[position]?.resource).length;
}

function rowOf(map: Map<number, number>, id: number): number {
  const found = map.get(id);
  if (found === undefined) throw new Error(`No row was written for ${id}.`);
  return found;
}

interface WrittenBuild {
  job: number;
  /** Row ids, by position of the get. */
  versions: readonly number[];
}

/**
 * The builds that were written after this one. The inputs in their rows are row ids of versions; a decision
 * has the versions' places instead.
 */
async function buildsAfter(build: number): Promise<readonly WrittenBuild[]> {
  return await stores.pool.any(rows<WrittenBuild>()`
    SELECT b.job_id AS job,
      to_jsonb(ARRAY(SELECT i.version_id FROM build_inputs i WHERE i.build_id = b.id ORDER BY i.position)) AS versions
    FROM builds b WHERE b.id > ${build} ORDER BY b.id`);
}

/** Each build as `job: versions`. */
function linesOf(builds: readonly WrittenBuild[]): string[] {
  return builds.map(({ job: id, versions }) => `${id}: ${String(versions)}`);
}

/** Pages of one row, so that every search continues on the next page. */
const ONE_BY_ONE = [1, ...Array.from({ length: 499 }, () => 1)] as const;

/** The decision on these jobs, which is not written. */
async function decideWithoutWriting(
  jobs: ReadonlyMap<number, number>,
  pageRows?: readonly [number, ...number[]],
): Promise<DecidedBuilds> {
  return await stores.pool.transaction(async (connection) => {
    const gather = async () => await gatherJobs(connection, [...jobs.values()]);
    const tx = decisionTransaction(connection, gather);
    return (await decideWithPages(tx, pageRows && { pageRows })).decision;
  });
}

describe('what Postgres gathers', () => {
  test('facts gathered in pages lead to the same decision as all facts at once', async () => {
    const drawn = fc.record({ pipeline: drawnPipeline, events: drawnEvents });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ pipeline: definition, events }) => {
        const history = historyOf(definition);
        for (const [index, event] of events.entries()) {
          happen(history, event);
          if (index % 3 === 0) applyDecision(history, decideFromHistory(history));
        }
        const expected = decideFromHistory(history);
        await stores.empty();
        await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
        const { pipeline, versions, jobs, lastBuild } = await writeHistory(history);
        const [usual, byOne] = await Promise.all([
          decideWithoutWriting(jobs),
          decideWithoutWriting(jobs, ONE_BY_ONE),
        ]);
        expect(byOne).toEqual(usual);
        await scheduleOn(stores, pipeline, new Date());
        const expectedRows = expected.builds.map((build) => ({
          job: rowOf(jobs, build.job),
          versions: build.versions.map((version) => rowOf(versions, version)),
        }));
        expect(linesOf(await buildsAfter(lastBuild))).toEqual(linesOf(expectedRows));
      }),
      { numRuns: GATHERED },
    );
  }, 600_000);

  test('older pages are read when the newest builds do not agree', async () => {
    const history = disagreeing({ upTo: 300, agreed: 5, place: (version) => version });
    const { pipeline, versions } = await writeHistory(history);
    const factsRead: Facts[] = [];
    const decisions: DecidedBuilds[] = [];
    await scheduleOn(stores, pipeline, new Date(), (facts) => {
      factsRead.push(structuredClone(facts));
      decisions.push(decideBuilds(facts));
      return decideBuilds(facts);
    });
    expect(factsRead.map(({ passes }) => passes.length)).toEqual([2, 3]);
    expect(decisions.at(-1)?.builds.map((build) => build.versions)).toEqual([[rowOf(versions, 5)]]);
  });

  test('older pages are read one by one where versions have moved', async () => {
    // Version 1 has moved to the end and is now the newest.
    const history = disagreeing({ upTo: 8, agreed: 3, place: (version) => (version === 1 ? 9 : version) });
    const { versions, jobs } = await writeHistory(history);
    const { builds } = await decideWithoutWriting(jobs, ONE_BY_ONE);
    expect(builds.map((build) => build.versions)).toEqual([[rowOf(versions, 3)]]);
  });
});

/**
 * A history whose last job takes versions that passed both other jobs. All versions passed the first job, and
 * one version passed the second.
 */
function disagreeing(shape: { upTo: number; agreed: number; place: (version: number) => number }): History {
  const upstream = {
    interruptible: false,
    gets: [{ resource: 0, trigger: false, every: false, passed: 0 }],
  };
  const downstream = {
    interruptible: false,
    gets: [{ resource: 0, trigger: true, every: false, passed: 3 }],
  };
  const history = historyOf({ resources: 1, jobs: [upstream, upstream, downstream], past: [] });
  const onlyResource = history.resources[0];
  for (let version = 1; version <= shape.upTo; version += 1) {
    onlyResource?.versions.push({
      id: version,
      place: shape.place(version),
      label: String(version),
      disabled: false,
    });
    for (const upstreamJob of version === shape.agreed ? [1, 2] : [1])
      history.builds.push({
        id: history.builds.length + 1,
        job: upstreamJob,
        number: '1',
        status: 'succeeded',
        inputs: [{ resource: 1, version }],
        outputs: [],
        cause: { kind: 'version', resource: 1, version },
        approved: false,
        votes: [],
      });
  }
  return history;
}
