import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Step } from '#domain/pipeline/steps.ts';
import { decideCaches } from '#domain/planning/decide-cache-volumes.ts';
import { removeCaches } from '#flows/pipelines/remove-caches.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/* `millrace caches` at the public gateway, over a real Postgres. */
let stores: TestStores;
let gateway: Gateway;
let home: string;
let build: number;
let pipelineId: number;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const definition = samplePipeline({ resources: [resource('git.app', { cache: true })] });
  const saved = await stores.pipelines.savePipeline(toSave(definition));
  pipelineId = saved.id;
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date());
  await giveTurns(stores);
  build = (await stores.builds.buildsToStart(1))[0]?.id ?? 0;
  await mountCache();
  for (const role of ['read', 'write'] as const) await gateway.account(role, { teams: { main: role } });
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  rmSync(home, { recursive: true });
});

/** Records that the build mounts the cache. */
async function mountCache(cache = 'git.app'): Promise<void> {
  await stores.caches.withCaches({ pipelineId, build, attempt: 1 }, [cache], async (tx) => {
    await tx.use(decideCaches(await tx.facts(), new Date()), new Date());
  });
  await stores.builds.podCreated(build, 1, 'pod-1', new Date());
}

const factsOf = async (attempt: number) =>
  await stores.caches.withCaches({ pipelineId, build, attempt }, ['git.app'], async (tx) => await tx.facts());

/** Ends the build. Its get reports this size of the cache. */
async function endBuild(cacheBytes: number): Promise<void> {
  const events = eventsOf(['0', '1'], new Date().toISOString()).map((event) =>
    event.type === 'step-ended' && event.step === '0' ? { ...event, cacheBytes } : event,
  );
  await followOn(stores, build, 1, events);
}

async function run(line: string, role: 'read' | 'write' = 'write'): Promise<CommandResult> {
  const environment = {
    XDG_CONFIG_HOME: home,
    MILLRACE_URL: gateway.base,
    MILLRACE_TOKEN: await gateway.session(role),
  };
  return await millrace(`millrace caches ${line}`, { environment });
}

test('the list of caches shows which build uses a cache, and after the build its size and last use', async () => {
  expect((await run('list --pipeline app', 'read')).out).toMatch(/git\.app +\S.*unit\/1/);
  await endBuild(3 * 1024 * 1024);
  const { out } = await run('list --pipeline app', 'read');
  expect(out).toMatch(/CACHE +SIZE +LAST USE/);
  expect(out).toMatch(/git\.app +3\.0 MiB/);
  expect(out).not.toContain('unit/1');
});

test('the list of caches says why the last build ran without its cache', async () => {
  const uses = decideCaches({ ...(await factsOf(2)), fork: true }, new Date());
  await stores.caches.withCaches({ pipelineId, build, attempt: 2 }, ['git.app'], async (tx) => {
    await tx.use(uses, new Date());
  });
  await endBuild(1024);
  expect((await run('list --pipeline app')).out).toContain('it runs a pull request from a fork.');
});

test('clearing a cache forgets its size, is audited, and fails if no build has used the cache since', async () => {
  await endBuild(1024);
  expect(await run('clear git.app --pipeline app')).toMatchObject({
    exit: 0,
    err: 'Cleared the cache of git.app in pipeline main/app.\n',
  });
  expect((await run('list --pipeline app')).out).toMatch(/git\.app +never/);
  const entries = await stores.access.audit.entries('main', {}, { limit: 10 });
  expect(JSON.stringify(entries)).toContain('cache.cleared');
  expect((await run('clear git.app --pipeline app')).exit).not.toBe(0);
});

test('members who may only read cannot clear a cache', async () => {
  expect((await run('clear git.app --pipeline app', 'read')).exit).not.toBe(0);
  expect((await stores.removableCaches.knownCaches())[0]).toMatchObject({ generation: 1 });
});

test('after a cache is cleared, the next attempt gets a new volume, even while a build uses the old one', async () => {
  await run('clear git.app --pipeline app');
  const facts = await factsOf(2);
  expect(facts.caches).toEqual([expect.objectContaining({ generation: 2 })]);
  expect(facts.caches[0]).not.toHaveProperty('usedBy');
});

test('the volume of a cache that its resource no longer has is removed once no build uses it', async () => {
  const claim = { namespace: 'main', name: 'cache-1', uid: 'uid-1' };
  const deleted: string[] = [];
  const claims = {
    nameOf: ({ generation }: { generation: number }) => `cache-${generation}`,
    found: async () => (deleted.length === 0 ? [claim] : []),
    delete: async ({ name }: { name: string }) => void deleted.push(name),
  };
  const sweep = async () => await removeCaches({ caches: stores.removableCaches, claims });
  expect(await sweep()).toEqual([]);
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  expect(await sweep()).toEqual([]);
  await endBuild(0);
  expect(await sweep()).toEqual([claim]);
  expect(await stores.removableCaches.knownCaches()).toEqual([]);
});

const dependencies: Step = {
  kind: 'task',
  name: 'cache deps: restore',
  cache: 'deps',
  run: { runner: 'shell', cmd: 'true' },
};
const withDependencies = samplePipeline({ jobs: [job('unit', get('git.app'), dependencies, task('test'))] });

test('a cache of a job is listed and cleared as <job>:<cache>', async () => {
  await stores.pipelines.savePipeline(toSave(withDependencies));
  await mountCache('unit:deps');
  expect((await run('list --pipeline app')).out).toMatch(/unit:deps +\S.*unit\/1/);
  expect(await run('clear unit:deps --pipeline app')).toMatchObject({
    exit: 0,
    err: 'Cleared the cache of unit:deps in pipeline main/app.\n',
  });
});

test('a cache is unwanted once its job has none, even if an older revision or another pipeline has it', async () => {
  await stores.pipelines.savePipeline(toSave(withDependencies));
  await stores.pipelines.savePipeline(toSave(withDependencies, { pipeline: 'other', uid: 'uid-2' }));
  await mountCache('unit:deps');
  const isWanted = async (): Promise<boolean | undefined> =>
    (await stores.removableCaches.knownCaches()).find((cache) => cache.resource === 'unit:deps')?.wanted;
  expect(await isWanted()).toBe(true);
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  expect(await isWanted()).toBe(false);
});
