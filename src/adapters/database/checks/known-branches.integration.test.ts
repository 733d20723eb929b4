import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

type Version = Record<string, string>;

/** What a check of git.app gets, after checks that have found these versions. */
async function factsAfter(pipeline: string, ...found: Version[][]) {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const resources = ['git.app', 'git.lib'].map((name) =>
    resource(name, { schedule: { kind: 'every', seconds: 60 } }),
  );
  const definition = samplePipeline({ resources, jobs: [job('unit', get('git.app'))] });
  const { resources: saved } = await stores.pipelines.savePipeline(
    toSave(definition, { pipeline, uid: `uid-${pipeline}` }),
  );
  const scopes = saved.map(({ scope }) => scope).filter((scope) => scope !== undefined);
  const scope = saved.find(({ name }) => name === 'git.app')?.scope ?? 0;
  let seconds = 1;
  const openRun = async (): Promise<number> =>
    (await stores.checks.openRun(scopes, 'schedule', at((seconds += 100))))?.run ?? 0;
  for (const versions of found) {
    const run = await openRun();
    await stores.checks.recordCheck({ run, scope, versions, log: '' }, at(seconds + 1));
    await stores.checks.closeRun(run, at(seconds + 1));
  }
  const facts = await stores.checks.runFacts(await openRun());
  return facts?.checks.find(({ resource: name }) => name === 'git.app');
}

const versionsOf = (first: number, name: (number: number) => string): Version[] =>
  Array.from({ length: 100 }, (_, index) => ({ ref: 'a'.repeat(40), branch: name(first + index) }));

test('a check gets the newest version of each branch if versions have branches', async () => {
  const facts = await factsAfter('app', [
    { ref: 'a', branch: 'release/1' },
    { ref: 'b', branch: 'release/2' },
    { ref: 'c', branch: 'release/1' },
    { ref: 'd', branch: 'x'.repeat(256) },
    { ref: 'e', branch: 'main' },
  ]);
  expect(facts).toMatchObject({
    last: { ref: 'e', branch: 'main' },
    branches: { 'release/1': 'c', 'release/2': 'b', main: 'e' },
  });
});

test('a check gets all of a thousand branches', async () => {
  const found = Array.from({ length: 10 }, (_, index) =>
    versionsOf(100 * index, (number) => `topic/${number}`),
  );
  const facts = await factsAfter('many', ...found);
  expect(Object.keys(facts?.branches ?? {})).toHaveLength(1000);
});

const longName = (number: number): string => `${'ü"'.repeat(80)}${number}`;

test('a check gets as many branches with long names as a variable can hold, the newest first', async () => {
  const found = Array.from({ length: 5 }, (_, index) => versionsOf(1000 + 100 * index, longName));
  const { branches = {} } = (await factsAfter('long', ...found)) ?? {};
  expect([longName(1499) in branches, longName(1000) in branches]).toEqual([true, false]);
  const bytes = Buffer.byteLength(JSON.stringify(branches));
  expect(bytes).toBeGreaterThan(90_000);
  expect(bytes).toBeLessThan(128 * 1024);
});
