import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { viewChanges } from './view-changes.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [job('unit', get('git.app'), task('run'))];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  // One build for each version.
  for (const ref of ['a', 'b', 'c', 'd', 'e']) {
    await recordFoundVersions(stores, saved, [{ ref }]);
    await scheduleOn(stores, saved.id, new Date());
    await stores.pool.query(
      rows()`UPDATE builds SET status = 'failed', ended_at = now() WHERE ended_at IS NULL`,
    );
  }
});
afterAll(async () => await stores.close());

/** The changes of a build in words, with at most two versions. */
async function changesOf(number: string): Promise<string> {
  const changes = await viewChanges(stores.pool, { team: 'main', pipeline: 'app', job: 'unit', number }, 2);
  if (changes === undefined) return 'no such build';
  const inputs = changes.inputs.map(({ name, change, versions, hasMore }) =>
    [name, change, ...versions.map(({ fields }) => fields['ref']), ...(hasMore ? ['…'] : [])].join(' '),
  );
  return [`since ${changes.since ?? 'nothing'}`, ...inputs].join(', ');
}

async function setStatus(number: number, status: string): Promise<void> {
  await stores.pool.query(rows()`UPDATE builds SET status = ${status} WHERE number = ${number}`);
}

test('a build without a good build before it has nothing to compare with', async () => {
  expect([await changesOf('1'), await changesOf('5'), await changesOf('9')]).toEqual([
    'since nothing',
    'since nothing',
    'no such build',
  ]);
});

test('versions newer than that of the last good build are listed, newest first, up to the limit', async () => {
  await setStatus(1, 'succeeded');
  expect([await changesOf('1'), await changesOf('2'), await changesOf('3'), await changesOf('5')]).toEqual([
    'since nothing',
    'since 1, app newer b',
    'since 1, app newer c b',
    'since 1, app newer e d …',
  ]);
});

test('a warning is good, and the nearest good build counts', async () => {
  await setStatus(4, 'warning');
  expect([await changesOf('5'), await changesOf('4')]).toEqual([
    'since 4, app newer e',
    'since 1, app newer d c …',
  ]);
});

test('versions that retention has forgotten are not listed', async () => {
  await stores.pool.query(
    rows()`UPDATE versions SET forgotten = true, fields = '{}' WHERE fields ->> 'ref' = 'b'`,
  );
  expect(await changesOf('4')).toBe('since 1, app newer d c');
});

test('an input is marked if its version is the same or older, or if the good build had no such input', async () => {
  await stores.pool
    .query(rows()`UPDATE build_inputs SET version_id = (SELECT id FROM versions WHERE fields ->> 'ref' = 'd')
    WHERE build_id = (SELECT id FROM builds WHERE number = 5)`);
  expect(await changesOf('5')).toBe('since 4, app none');
  await stores.pool
    .query(rows()`UPDATE build_inputs SET version_id = (SELECT id FROM versions WHERE fields ->> 'ref' = 'a')
    WHERE build_id = (SELECT id FROM builds WHERE number = 5)`);
  expect(await changesOf('5')).toBe('since 4, app older');
  await stores.pool.query(rows()`UPDATE build_inputs SET name = 'renamed'
    WHERE build_id = (SELECT id FROM builds WHERE number = 5)`);
  expect(await changesOf('5')).toBe('since 4, renamed other');
});
