import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Streams of a pipeline while the pipeline is renamed and another pipeline gets its old name. The gateway
 * does not check rights again during a test, so only the rename itself can move the streams.
 */
const NO_RECHECK = { recheckMs: 3_600_000 };
const DEFINITION = samplePipeline({
  jobs: [job('unit', getStep('git.app', { trigger: false }), task('test'))],
});

let stores: TestStores;
let gateway: Gateway;
let ann: string;
const open: EventReader[] = [];

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { limits: NO_RECHECK });
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await gateway.account('ann', { teams: { main: 'write' } });
  ann = await gateway.session('ann');
  await savePipeline();
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

async function savePipeline(): Promise<void> {
  const saved = await stores.pipelines.savePipeline(toSave(DEFINITION, { public: true }));
  await recordFoundVersions(stores, saved, [{ ref: 'a1' }]);
}

/** Renames the pipeline app to shop, and creates another pipeline with the name app. */
async function renameAndReuseName(): Promise<void> {
  await stores.pool.query(rows()`UPDATE pipelines SET name = 'shop', uid = 'uid-of-shop' WHERE name = 'app'`);
  await savePipeline();
}

const trigger = async (): Promise<void> => {
  const response = await gateway.ask('POST /teams/main/pipelines/app/jobs/unit/trigger', { as: ann });
  expect(response.status).toBe(201);
};

interface ReceivedEvent {
  id: number;
  name?: string;
  status?: string;
}

/** Opens a stream. Returns a function that returns the events of the stream so far. */
async function follow(path: string, as?: string): Promise<() => [ReceivedEvent, ...ReceivedEvent[]]> {
  const headers: Record<string, string> = as === undefined ? {} : { authorization: `Bearer ${as}` };
  const reader = await readEvents(`${gateway.base}/teams/main/pipelines/${path}/events`, headers);
  open.push(reader);
  const received = (): ReceivedEvent[] =>
    reader.events.flatMap(({ name, data }) => {
      if (name === 'pipeline') return [JSON.parse(data).pipeline];
      return name === 'build' ? [JSON.parse(data)] : [];
    });
  while (received().length === 0) await sleep(10);
  return () => {
    const [first, ...more] = received();
    if (first === undefined) throw new Error('the stream sent nothing');
    return [first, ...more];
  };
}

test.each([
  ['members', () => ann],
  ['non-members', () => undefined],
])('%s who open the new name see that pipeline, even while others follow the old name', async (_, as) => {
  const [{ id }] = (await follow('app', as()))();
  await renameAndReuseName();
  expect((await follow('shop', as()))()).toMatchObject([{ id, name: 'shop' }]);
});

test('a pending build is followed under the new name, even while others follow the old name', async () => {
  await trigger();
  const [{ id }] = (await follow('app/jobs/unit/builds/1', ann))();
  await renameAndReuseName();
  await trigger();
  const received = await follow('shop/jobs/unit/builds/1', ann);
  await gateway.ask('POST /teams/main/pipelines/shop/jobs/unit/builds/1/cancel', { as: ann });
  // Until the stream shows the end of the build or, which would be wrong, another build.
  while (received().every((event) => event.id === id && event.status !== 'cancelled')) await sleep(10);
  expect(received().filter((event) => event.id !== id)).toEqual([]);
});
