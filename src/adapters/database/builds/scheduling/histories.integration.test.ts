import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { HISTORIES } from '#domain/scheduling/testdata/histories.ts';
import { playOnStores } from '#testing/scheduling/play-on-stores.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

/** The stores on Postgres must give the same lines as the scheduler in memory. */
describe.each(Object.entries(HISTORIES))('%s', (_subject, histories) => {
  test.each(Object.entries(histories))('%s', async (_sentence, [pipeline, ...lines]) => {
    expect(await playOnStores(stores, pipeline, lines)).toEqual(lines);
  });
});
