import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

/**
 * The scheduler reads its clock before it waits for the pipeline's lock. The upstream build may end while the
 * scheduler waits.
 */
test('a build is never created before the end of the upstream build, even if the clock was read earlier', async () => {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  const readAt = new Date();
  await scheduleOn(stores, saved.id, readAt);
  await succeed(stores, 'unit');
  await scheduleOn(stores, saved.id, readAt);
  const times = await stores.pool.any(rows<{ job: string; ordered: boolean }>()`
    SELECT j.name AS job, b.created_at >= (SELECT max(ended_at) FROM builds) AND a.created_at = b.created_at
      AND b.admitted_at >= b.created_at AS ordered
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN build_attempts a ON a.build_id = b.id WHERE j.name = 'publish'`);
  expect(times).toEqual([{ job: 'publish', ordered: true }]);
});
