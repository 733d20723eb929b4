import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

test('a check gets the newest version of each branch if versions have branches', async () => {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const resources = ['git.app', 'git.lib'].map((name) =>
    resource(name, { schedule: { kind: 'every', seconds: 60 } }),
  );
  const definition = samplePipeline({ resources, jobs: [job('unit', get('git.app'))] });
  const { resources: saved } = await stores.pipelines.savePipeline(toSave(definition));
  const scopes = saved.map(({ scope }) => scope).filter((scope) => scope !== undefined);
  const first = await stores.checks.openRun(scopes, 'schedule', at(1));
  const scope = saved.find(({ name }) => name === 'git.app')?.scope ?? 0;
  const versions = [
    { ref: 'a', branch: 'release/1' },
    { ref: 'b', branch: 'release/2' },
    { ref: 'c', branch: 'release/1' },
    { ref: 'd', branch: 'x'.repeat(256) },
    { ref: 'e', branch: 'main' },
  ];
  await stores.checks.recordCheck({ run: first?.run ?? 0, scope, versions, log: '' }, at(2));
  const second = await stores.checks.openRun(scopes, 'schedule', at(200));
  const facts = await stores.checks.runFacts(second?.run ?? 0);
  expect(facts?.checks.find(({ resource: name }) => name === 'git.app')).toMatchObject({
    last: { ref: 'e', branch: 'main' },
    branches: { 'release/1': 'c', 'release/2': 'b', main: 'e' },
  });
});
