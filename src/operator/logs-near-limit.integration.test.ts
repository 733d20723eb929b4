import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { teamStatus } from '#adapters/kubernetes/controllers/team-status.ts';
import { limitLogs } from '#flows/builds/limit-logs.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

/* The condition of a Team about the size of its logs in Postgres. */
const LIMIT = 64 * 1024 * 1024;
const OBJECT = {
  name: 'main',
  namespace: '',
  uid: 'u1',
  resourceVersion: '7',
  generation: 1,
  finalizers: [],
  spec: {},
  status: undefined,
};

let stores: TestStores;
beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

/** Stores two builds with logs of this size together. */
async function storeLogs(bytes: number): Promise<void> {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
  await scheduleOn(stores, saved.id, new Date());
  await succeed(stores, 'unit');
  await stores.pool.query(rows()`UPDATE build_attempts SET stored_log_bytes = ${bytes / 2}`);
}

async function conditionOfTeam(): Promise<string | undefined> {
  const { fills } = await limitLogs([{ team: 'main', limit: LIMIT }], stores.logs);
  const status = teamStatus({
    object: OBJECT,
    conditions: [],
    before: undefined,
    pipelineCount: 1,
    limits: { logBytes: '64Mi' },
    fill: fills.get('main'),
    now: new Date(),
  });
  const condition = status.conditions?.find(({ type }) => type === 'LogsNearLimit');
  return condition && `${condition.status} ${condition.reason}`;
}

test.each([
  ['is absent below 80 % of the limit', 0.78, undefined],
  ['says NearLimit from 80 % of the limit', 0.82, 'True NearLimit'],
  ['says LimitReached above the limit', 1.02, 'True LimitReached'],
])('the condition LogsNearLimit %s', async (_name, share, expected) => {
  await storeLogs(2 * Math.round((LIMIT * share) / 2));
  expect(await conditionOfTeam()).toBe(expected);
});

test('the condition LogsNearLimit stays until the operator has removed the oldest logs', async () => {
  await storeLogs(2 * Math.round(LIMIT * 0.51));
  expect(await conditionOfTeam()).toBe('True LimitReached');
  expect(await conditionOfTeam()).toBeUndefined();
});
