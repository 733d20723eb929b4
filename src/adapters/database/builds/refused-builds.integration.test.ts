import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { found, giveTurns, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const QUOTA = 'QuotaExceeded: exceeded quota: millrace';
const TAGS = 'TagNotAllowed: Team main does not allow the tag gpu.';
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
});
afterAll(async () => await stores.close());

/** Builds of the sample pipeline, each refused for its reason; absent: not refused. */
async function refused(...reasons: (string | undefined)[]): Promise<void> {
  await found(
    stores,
    saved,
    reasons.map((_, index) => ({ ref: String(index) })),
  );
  await scheduleOn(stores, saved.id, new Date());
  await giveTurns(stores);
  const builds = await stores.builds.buildsToStart(reasons.length);
  expect(builds).toHaveLength(reasons.length);
  for (const [index, { id }] of builds.entries()) {
    const reason = reasons[index];
    if (reason !== undefined) await stores.builds.explainPending(id, reason);
  }
}
const toStart = async (): Promise<string[]> =>
  (await stores.builds.buildsToStart(10)).map(({ number }) => number);

describe('a build whose Pod was refused', () => {
  test('is retried when a Pod has ended, unless more room does not help', async () => {
    await refused(TAGS, QUOTA, undefined);
    expect(await toStart()).toEqual(['3']);
    expect(await stores.builds.tryRefused('main')).toBe(0);
    expect(await toStart()).toEqual(['2', '3']);
  });

  test('is retried when the rules of its Team change', async () => {
    await refused(TAGS, QUOTA, undefined);
    expect(await stores.builds.tryAllRefused('main')).toBe(true);
    expect(await toStart()).toEqual(['1', '2', '3']);
    expect(await stores.builds.tryAllRefused('main')).toBe(false);
  });

  test('waits when another Team changes', async () => {
    await refused(TAGS);
    expect(await stores.builds.tryAllRefused('other')).toBe(false);
    expect(await toStart()).toEqual([]);
  });
});
