import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => stores.close());

const pipelineWithJobs = (names: readonly string[]) =>
  samplePipeline({ jobs: names.map((name) => job(name, get('git.app'), task('test'))) });

/**
 * Creates and removes so many jobs that Postgres would run the subquery for the cascade once for each
 * remaining job if it were not materialized. Then each request would get a cascade of its own.
 */
async function removeManyJobs(): Promise<void> {
  const names = Array.from({ length: 300 }, (_, index) => `old-${index}`);
  const name = { team: 'main', pipeline: 'old' };
  await stores.pipelines.savePipeline(toSave(pipelineWithJobs(names), { ...name, uid: 'uid-2' }));
  await stores.pool.query(rows()`UPDATE jobs SET deleted_at = now() WHERE name LIKE 'old-%'`);
  await stores.pool.query(rows()`ANALYZE jobs`);
  await stores.pool.query(rows()`ANALYZE job_gets`);
}

test('the requests of one triggered version share a cascade, whatever plan Postgres chooses', async () => {
  const saved = await stores.pipelines.savePipeline(toSave(pipelineWithJobs(['unit', 'lint'])));
  const [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await removeManyJobs();
  const resource = { team: 'main', pipeline: 'app', resource: 'git.app' };
  const answer = await triggerVersion(
    resource,
    { version, by: 'ann' },
    { ...stores, notifications: { notify: () => undefined }, now: () => new Date() },
  );
  expect(answer).toMatchObject({ answer: 'done', builds: [{ job: 'unit' }, { job: 'lint' }] });
  const cascades = await stores.pool.anyFirst(
    rows<{ cascade: number }>()`SELECT DISTINCT cascade FROM job_triggers`,
  );
  expect(cascades).toHaveLength(1);
});
