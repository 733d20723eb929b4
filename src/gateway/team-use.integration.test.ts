import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EpochOver } from '#adapters/database/connection/fence.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { workerStore } from '#adapters/database/people/team-workers.ts';
import { decideCaches } from '#domain/planning/decide-cache-volumes.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/* The limits and the use of teams, and other answers for the pages of settings, over a real Postgres. */
let stores: TestStores;
let gateway: Gateway;
let root: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'idle', namespace: 'idle-ns', displayName: 'Idle' });
  await stores.teams.saveTeam({
    name: 'main',
    namespace: 'main',
    runningBuilds: 1,
    defaultTimeoutSeconds: 60,
    buildLogBytes: 1024,
    retention: { builds: 7, minimumSucceeded: 2 },
  });
  await gateway.account('root', { globalAdmin: true });
  root = await gateway.session('root');
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

const NOTHING = {
  running_builds: 0,
  queued_builds: 0,
  waiting_builds: 0,
  log_bytes: 0,
  caches: 0,
  cache_bytes: 0,
  warm_pods: 0,
};
const TIME = expect.stringMatching(/^20\d\d-.*Z$/);
const IDLE = {
  team: 'idle',
  display_name: 'Idle',
  namespace: 'idle-ns',
  created_at: TIME,
  limits: {},
  usage: NOTHING,
};
const LIMITS = {
  running_builds: 1,
  default_timeout_seconds: 60,
  build_log_bytes: 1024,
  retention: { builds: 7, minimum_succeeded: 2 },
};

/** Makes team main use something: a running build with logs and a cache, a pending build, and a warm Pod. */
async function useMain(): Promise<void> {
  const definition = samplePipeline({ resources: [resource('git.app', { cache: true })] });
  const saved = await stores.pipelines.savePipeline(toSave(definition));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date());
  await giveTurns(stores);
  const build = (await stores.builds.buildsToStart(1))[0]?.id ?? 0;
  await stores.caches.withCaches({ pipelineId: saved.id, build, attempt: 1 }, ['git.app'], async (tx) => {
    await tx.use(decideCaches(await tx.facts(), new Date()), new Date());
  });
  await stores.builds.podCreated(build, 1, 'pod-1', new Date());
  await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
  await scheduleOn(stores, saved.id, new Date());
  await giveTurns(stores);
  await stores.pool.query(
    rows()`UPDATE build_attempts SET stored_log_bytes = 4096 WHERE build_id = ${build}`,
  );
  await stores.pool.query(rows()`UPDATE caches SET bytes = 2048`);
  await stores.pool.query(rows()`
    INSERT INTO warm_pods (team_id, namespace, shape, created_at) SELECT id, 'main', 's', now() FROM teams
      WHERE name = 'main'`);
}

/** Changes with each write of the row. */
const rowVersion = () =>
  stores.pool.oneFirst(rows<{ xmin: string }>()`SELECT xmin::text FROM teams WHERE name = 'main'`);

describe('the nodes of a team', () => {
  const untagged = { nodeSelector: {}, nodes: 3 };
  const gpu = { tag: 'gpu', nodeSelector: { pool: 'gpu' }, nodes: 0 };

  test('are shown for jobs without tags and for each tag, as the operator counted them', async () => {
    await workerStore(stores).saveWorkers(new Map([['main', [untagged, gpu]]]));
    const { body } = await gateway.ask('GET /teams/main/settings', { as: root });
    expect(body.data['workers']).toEqual([
      { node_selector: {}, nodes: 3 },
      { tag: 'gpu', node_selector: { pool: 'gpu' }, nodes: 0 },
    ]);
    expect((await gateway.ask('GET /teams/idle/settings', { as: root })).body.data).not.toHaveProperty(
      'workers',
    );
  });

  test('are written only if their number changed', async () => {
    await workerStore(stores).saveWorkers(new Map([['main', [untagged]]]));
    const before = await rowVersion();
    await workerStore(stores).saveWorkers(new Map([['main', [untagged]]]));
    expect(await rowVersion()).toBe(before);
    await workerStore(stores).saveWorkers(new Map([['main', [{ ...untagged, nodes: 4 }]]]));
    expect(await rowVersion()).not.toBe(before);
  });

  test('are not written by an operator that no longer leads', async () => {
    const saving = workerStore({ ...stores, epoch: () => 41 }).saveWorkers(new Map([['main', [untagged]]]));
    await expect(saving).rejects.toThrow(EpochOver);
    const { body } = await gateway.ask('GET /teams/main/settings', { as: root });
    expect(body.data).not.toHaveProperty('workers');
  });
});

describe('the use of a team', () => {
  test('counts builds, logs, caches and warm Pods beside the limits', async () => {
    await useMain();
    const { body } = await gateway.ask('GET /teams/main/settings', { as: root });
    const usage = {
      ...NOTHING,
      running_builds: 1,
      queued_builds: 1,
      log_bytes: 4096,
      caches: 1,
      cache_bytes: 2048,
      warm_pods: 1,
    };
    const main = { team: 'main', namespace: 'main', created_at: TIME, limits: LIMITS, usage };
    expect(body.data).toEqual(main);
    expect((await gateway.ask('GET /admin/teams', { as: root })).body.data).toEqual([IDLE, main]);
  });

  test('does not include what other teams use', async () => {
    await useMain();
    expect((await gateway.ask('GET /teams/idle/settings', { as: root })).body.data).toEqual(IDLE);
    expect((await gateway.ask('GET /teams/none/settings', { as: root })).status).toBe(404);
  });
});

async function search(text: string): Promise<string[]> {
  const query = new URLSearchParams({ search: text }).toString();
  const { body } = await gateway.ask<{ data: { username: string }[] }>(`GET /users?${query}`, { as: root });
  return body.data.map(({ username }) => username);
}

test('accounts are found by a part of their username or full name, in any case and without wildcards', async () => {
  for (const [username, fullName] of [
    ['ann', 'Ann Archer'],
    ['bob', 'Bob Bell'],
  ] as const) {
    await gateway.account(username);
    await gateway.ask(`PUT /users/${username}`, { as: root, body: { full_name: fullName } });
  }
  expect(await search('NN')).toEqual(['ann']);
  expect(await search('bell')).toEqual(['bob']);
  expect(await search('b')).toEqual(['bob']);
  expect(await search('%')).toEqual([]);
  expect(await search('_')).toEqual([]);
  expect(await search('')).toEqual(['bob', 'ann', 'root']);
});

test('a provider is shown without its secret', async () => {
  const provider = {
    canonical: 'company',
    type: 'OIDC' as const,
    clientId: 'millrace',
    issuerUrl: 'https://id.example.org',
    enabled: true,
    secretKey: 'known',
  };
  await saveProvider(provider, { by: 'manifest', at: new Date() }, stores.access.oauth);
  const { status, text, body } = await gateway.ask('GET /admin/oauth-providers/company', { as: root });
  expect([status, body.data]).toMatchObject([200, { canonical: 'company', managed_by: 'manifest' }]);
  expect(text).not.toContain('known');
  expect((await gateway.ask('GET /admin/oauth-providers/none', { as: root })).status).toBe(404);
});
