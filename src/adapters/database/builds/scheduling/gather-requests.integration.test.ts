import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, recordFoundVersions, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => stores.close());

const pipeline = samplePipeline({
  jobs: [
    job('unit', get('git.app', { trigger: false }), task('test')),
    job('deploy', get('git.app', { trigger: true, passed: ['unit'] }), task('ship')),
  ],
});

test('a cascaded request gets its build although 500 newer ones wait for builds that never come', async () => {
  const saved = await stores.pipelines.savePipeline(toSave(pipeline));
  const [older = 0, newer = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
  const resource = { team: 'main', pipeline: 'app', resource: 'git.app' };
  const ports = { ...stores, notifications: { notify: () => undefined }, now: () => new Date() };
  const build = async (version: number, beforeDeploy = async () => {}) => {
    await triggerVersion(resource, { version, by: 'ann' }, ports);
    await beforeDeploy();
    await succeed(stores, 'unit');
    await scheduleOn(stores, saved.id, new Date());
  };
  await build(newer);
  await succeed(stores, 'deploy');
  await build(older, copyCascadedRequest);
  expect(await builtJobs()).toEqual(['unit', 'deploy', 'unit', 'deploy']);
});

/**
 * Copies the request for `deploy` that has no build into 500 other cascades. These have no request for
 * `unit`, so the copies never get a build.
 */
async function copyCascadedRequest(): Promise<void> {
  await stores.pool.query(rows()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, resource_id, version_id, cascade, follows)
    SELECT t.job_id, 'ann', now(), t.resource_id, t.version_id, 1000000 + n, true
    FROM job_triggers t, generate_series(1, 500) AS n WHERE t.follows AND t.build_id IS NULL`);
}

const builtJobs = async () =>
  await stores.pool.anyFirst(
    rows<{ name: string }>()`SELECT j.name FROM builds b JOIN jobs j ON j.id = b.job_id ORDER BY b.id`,
  );
