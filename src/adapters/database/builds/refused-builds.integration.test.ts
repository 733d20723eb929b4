import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

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

/**
 * Makes a build of the sample pipeline for each reason and refuses its Pod, unless the reason is undefined.
 */
async function refuseBuilds(...reasons: (string | undefined)[]): Promise<void> {
  await recordFoundVersions(
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
const numbersToStart = async (): Promise<string[]> =>
  (await stores.builds.buildsToStart(10)).map(({ number }) => number);

describe('a build whose Pod was refused', () => {
  test('is retried when a Pod has ended, unless its tags were refused', async () => {
    await refuseBuilds(TAGS, QUOTA, undefined);
    expect(await numbersToStart()).toEqual(['3']);
    expect(await stores.builds.tryRefused('main')).toBe(0);
    expect(await numbersToStart()).toEqual(['2', '3']);
  });

  test('is retried when the rules of its Team change', async () => {
    await refuseBuilds(TAGS, QUOTA, undefined);
    expect(await stores.builds.tryAllRefused('main')).toBe(true);
    expect(await numbersToStart()).toEqual(['1', '2', '3']);
    expect(await stores.builds.tryAllRefused('main')).toBe(false);
  });

  test('still waits when another Team changes', async () => {
    await refuseBuilds(TAGS);
    expect(await stores.builds.tryAllRefused('other')).toBe(false);
    expect(await numbersToStart()).toEqual([]);
  });
});
