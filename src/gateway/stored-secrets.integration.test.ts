import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  makeStoreKeyPair,
  rewrapValue,
  storeKeyIdOf,
  storeKeys,
  type StoreKeyPair,
} from '#adapters/crypto/stored-values.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { sealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import { storedValues } from '#adapters/database/pipelines/secret-store.ts';
import type { Role } from '#domain/access/roles.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { sealerIn, storeSource } from './store-secrets.ts';
import { teamSecrets } from './team-secrets.ts';

/* Stored secrets, from the API over a real Postgres to the values that builds get. */
let stores: TestStores;
let gateway: Gateway;
let directory: string;
let storeKeyPair: StoreKeyPair;
let pipelineId: number;
const sessions: Partial<Record<Role, string>> = {};

beforeAll(async () => {
  stores = await openStores();
  directory = await mkdtemp(join(tmpdir(), 'store-keys-'));
  storeKeyPair = await makeStoreKeyPair();
  gateway = await openGateway(stores, { seal: sealerIn(directory), sessionSeconds: 0 });
});
beforeEach(async () => {
  await stores.empty();
  await stores.pool.query(rows()`DELETE FROM stored_secrets`);
  await stores.pool.query(rows()`DELETE FROM audit_log`);
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.teams.saveTeam({ name: 'web', namespace: 'web' });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  pipelineId = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT id FROM pipelines`);
  await mountKeys(storeKeyPair);
  for (const role of ['read', 'write', 'maintain'] as const) {
    await gateway.account(role, { teams: { main: role } });
    sessions[role] = await gateway.session(role);
  }
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  await rm(directory, { recursive: true });
});

async function mountKeys({ publicKey, privateKey }: StoreKeyPair, previous = ''): Promise<void> {
  const files = { public: publicKey, private: privateKey, previous };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)));
}

const TEAM = '/teams/main/secrets';
const PIPELINE = '/teams/main/pipelines/app/secrets';

async function ask<T = { data: Record<string, unknown>[] }>(
  route: string,
  body?: unknown,
  as: Role = 'maintain',
) {
  return await gateway.ask<T>(route, { as: sessions[as], ...(body === undefined ? {} : { body }) });
}

async function storeSecret(path: string, value: string, kind?: string): Promise<number> {
  return (await ask(`PUT ${path}`, { value, ...(kind !== undefined && { kind }) })).status;
}

/** Reads the values that a build of the pipeline gets. */
async function readAsBuild(...names: string[]) {
  const source = storeSource(directory, async (id, keys) => await storedValues(stores.pool, id, keys));
  const lookups = names.map((name) => ({ name, source: 'store', key: name, path: '', config: {} }));
  const owner = { team: 'main', namespace: 'main', pipelineId };
  const answer = await teamSecrets({ store: source }).read(owner, lookups);
  if (answer.answer !== 'read') return answer;
  const { values, missing, plain } = answer;
  return {
    answer: 'read',
    values: Object.fromEntries(values),
    plain,
    missing: [...(missing?.values() ?? [])],
  };
}

describe('a stored secret', () => {
  test('reaches builds, and no response, row or log contains its value', async () => {
    expect(await storeSecret(`${TEAM}/TOKEN`, 'hunter2\n"ü')).toBe(204);
    expect(await readAsBuild('TOKEN')).toMatchObject({
      values: { TOKEN: 'hunter2\n"ü' },
      plain: new Set(),
    });
    const listed = await ask(`GET ${TEAM}`, undefined, 'read');
    expect(listed.body.data).toEqual([
      { name: 'TOKEN', kind: 'secret', updated_at: expect.any(String), updated_by: 'maintain' },
    ]);
    const text = await stores.pool.anyFirst(rows<{ text: string }>()`
      SELECT row_to_json(s)::text FROM stored_secrets s UNION ALL SELECT row_to_json(a)::text FROM audit_log a`);
    expect(text.join()).not.toContain('hunter2');
    expect(text.join()).not.toContain(Buffer.from('hunter2').toString('hex'));
    expect(gateway.lines.join()).not.toContain('hunter2');
  });

  test('of the pipeline takes precedence over that of the team, even if the kinds differ', async () => {
    await storeSecret(`${TEAM}/STAGE`, 'test');
    await storeSecret(`${PIPELINE}/STAGE`, 'live', 'plain');
    expect(await readAsBuild('STAGE')).toMatchObject({
      values: { STAGE: 'live' },
      plain: new Set(['STAGE']),
    });
    expect((await ask(`DELETE ${PIPELINE}/STAGE`)).status).toBe(204);
    expect(await readAsBuild('STAGE')).toMatchObject({ values: { STAGE: 'test' }, plain: new Set() });
  });

  test('that is plain is listed with its value', async () => {
    await storeSecret(`${PIPELINE}/STAGE`, 'live', 'plain');
    expect((await ask(`GET ${PIPELINE}`)).body.data).toMatchObject([
      { name: 'STAGE', kind: 'plain', value: 'live' },
    ]);
  });

  test('is replaced, but not by another kind', async () => {
    await storeSecret(`${TEAM}/TOKEN`, 'one');
    expect(await storeSecret(`${TEAM}/TOKEN`, 'two')).toBe(204);
    expect(await readAsBuild('TOKEN')).toMatchObject({ values: { TOKEN: 'two' } });
    const refused = await ask<{ detail: string }>(`PUT ${TEAM}/TOKEN`, { value: 'x', kind: 'plain' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'TOKEN is stored as secret. To store it as plain, delete it first.',
    ]);
  });

  test('that is missing fails the step with a reason that names it', async () => {
    expect(await readAsBuild('OTHER')).toMatchObject({
      values: {},
      missing: ['The store secret OTHER has no value: neither the pipeline nor the team has stored it.'],
    });
  });

  test('is recorded in the audit log by name', async () => {
    await storeSecret(`${PIPELINE}/TOKEN`, 'hunter2');
    await storeSecret(`${TEAM}/STAGE`, 'live', 'plain');
    await storeSecret(`${PIPELINE}/TOKEN`, 'hunter3');
    await ask(`DELETE ${PIPELINE}/TOKEN`);
    const entries = await stores.pool.any(rows<{ action: string; target: string; actor: string }>()`
      SELECT action, target, actor FROM audit_log WHERE action ~ '^(secret|config)' ORDER BY id`);
    expect(entries).toEqual([
      { action: 'secret.created', target: 'app/TOKEN', actor: 'maintain' },
      { action: 'config.created', target: 'STAGE', actor: 'maintain' },
      { action: 'secret.updated', target: 'app/TOKEN', actor: 'maintain' },
      { action: 'secret.deleted', target: 'app/TOKEN', actor: 'maintain' },
    ]);
  });

  test('is not visible to a new team of the same name', async () => {
    await gateway.account('root', { globalAdmin: true });
    const as = await gateway.session('root');
    const stored = await gateway.ask('PUT /teams/web/secrets/TOKEN', { as, body: { value: 'hunter2' } });
    expect(stored.status).toBe(204);
    await stores.teams.removeTeam('web');
    const remaining = await stores.pool.oneFirst(
      rows<{ count: number }>()`SELECT count(*) AS count FROM stored_secrets`,
    );
    expect(remaining).toBe(0);
  });
});

describe('a request about stored secrets is refused', () => {
  test.each<[title: string, request: string, role: Role, status: number]>([
    ['to list without a role in the team', 'GET /teams/web/secrets', 'maintain', 403],
    ['to store with the role write', `PUT ${TEAM}/TOKEN`, 'write', 403],
    ['to delete with the role write', `DELETE ${TEAM}/TOKEN`, 'write', 403],
    ['for a pipeline that does not exist', 'PUT /teams/main/pipelines/other/secrets/TOKEN', 'maintain', 404],
    ['to delete a secret that is not stored', `DELETE ${TEAM}/TOKEN`, 'maintain', 404],
    ['for an invalid name', `PUT ${TEAM}/1TOKEN`, 'maintain', 400],
  ])('%s', async (_title, request, role, status) => {
    const body = request.startsWith('PUT') ? { value: 'x' } : undefined;
    expect((await ask(request, body, role)).status).toBe(status);
  });

  test('to store while the key is missing, but not to store a plain value', async () => {
    await rm(join(directory, 'public'));
    expect(await storeSecret(`${TEAM}/TOKEN`, 'x')).toBe(503);
    expect(await storeSecret(`${TEAM}/STAGE`, 'x', 'plain')).toBe(204);
  });
});

describe('a rotation of the keys', () => {
  test('leaves the values readable before and after the rows are encrypted again', async () => {
    await storeSecret(`${TEAM}/TOKEN`, 'hunter2');
    const next = await makeStoreKeyPair();
    await mountKeys(next, storeKeyPair.privateKey);
    expect(await readAsBuild('TOKEN')).toMatchObject({ values: { TOKEN: 'hunter2' } });
    const sealed = sealedRows(stores, 'stored_secrets');
    for (const row of await sealed.ofOtherKeys(storeKeyIdOf(next.publicKey), 10)) {
      const moved = rewrapValue(storeKeys([storeKeyPair.privateKey]), row, next.publicKey);
      if (moved !== undefined) await sealed.saveWrappedKey({ ...moved, id: row.id }, row.keyId);
    }
    await mountKeys(next);
    expect(await readAsBuild('TOKEN')).toMatchObject({ values: { TOKEN: 'hunter2' } });
    expect(await sealed.ofOtherKeys(storeKeyIdOf(next.publicKey), 10)).toEqual([]);
  });

  test('makes builds wait while a gateway does not have the new key', async () => {
    await storeSecret(`${TEAM}/TOKEN`, 'hunter2');
    await mountKeys(await makeStoreKeyPair());
    expect(await readAsBuild('TOKEN')).toMatchObject({ answer: 'unavailable' });
  });
});
