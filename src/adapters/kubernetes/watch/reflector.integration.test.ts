import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { projectReference } from '#adapters/kubernetes/informers/projections.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { startProxy, type CuttableProxy } from '#testing/network/cuttable-proxy.ts';
import { Reflector } from './reflector.ts';
import type { CachedObject, ObjectChange } from './store.ts';

/*
 * Faults that leave other informers silent for ever, tested on a real API server. Each test expects that the
 * store is correct in the end, with the operator's own timing and without a restart.
 */
/** A limit for tests that hang. */
const HANG_LIMIT_MS = 300_000;

let server: OwnApiServer;
let admin: { client: ApiClient; connection: Connection };
let proxy: CuttableProxy;
let proxied: Connection;
let namespace = '';
let count = 0;

beforeAll(async () => {
  server = await startApiServer({ compaction: '1s' });
  const connection = server.connect();
  admin = { client: new ApiClient(connection), connection };
}, 600_000);

afterAll(async () => {
  await admin.connection.close();
  await server.stop();
});

beforeEach(async () => {
  proxy = await startProxy(server.port);
  proxied = server.connect(proxy.port);
  count += 1;
  namespace = `reflector-${count}`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  orThrow(await admin.client.create(KINDS.namespaces, object), 'creating a namespace');
});

let reflector: Reflector<Parameters<typeof projectReference>[0], CachedObject>;
let changes: string[] = [];

afterEach(async () => {
  await reflector.stop();
  await proxied.close();
  await proxy.close();
});

async function startReflector(
  onChange: (change: ObjectChange<CachedObject>) => void = () => undefined,
): Promise<void> {
  changes = [];
  reflector = new Reflector(new ApiClient(proxied), {
    kind: KINDS.configMaps,
    namespace,
    project: projectReference,
    changed: (change) => {
      onChange(change);
      changes.push(`${change.type} ${change.object.name}`);
    },
    onProblem: () => undefined,
  });
  reflector.start();
  await reflector.synced;
}

async function createConfigMap(name: string): Promise<string> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
  const created = orThrow(await admin.client.create(KINDS.configMaps, object), `creating ${name}`);
  return created.metadata?.uid ?? '';
}

async function remove(name: string): Promise<void> {
  orThrow(await admin.client.delete(KINDS.configMaps, { namespace, name }), `deleting ${name}`);
}

function names(): string[] {
  return [...reflector.store.values()].map(({ name }) => name).toSorted();
}

async function expectNames(...expected: string[]): Promise<void> {
  const deadline = Date.now() + HANG_LIMIT_MS;
  while (Date.now() < deadline && names().join() !== expected.join()) await sleep(50);
  expect(names()).toEqual(expected);
}

/** Whether the API server refuses a watch from this version as too old. */
async function isGone(resourceVersion: string): Promise<boolean> {
  const options = { namespace, resourceVersion, timeoutSeconds: 1 };
  const answer = await admin.client.watch(KINDS.configMaps, options, AbortSignal.timeout(300_000));
  if (!answer.ok) return answer.status === 410;
  let text = '';
  for await (const chunk of answer.value) text += Buffer.from(chunk).toString();
  return text.includes('"code":410');
}

describe('a reflector on a real API server', () => {
  test('sees objects created after the API server was killed and came back', async () => {
    await createConfigMap('before');
    await startReflector();
    await server.kill();
    await sleep(1000);
    await server.start();
    await createConfigMap('after');
    await expectNames('after', 'before');
  }, 600_000);

  test('sees objects created while its connection was cut without notice', async () => {
    await startReflector();
    proxy.cut();
    await createConfigMap('unheard');
    await sleep(500);
    proxy.mend();
    await expectNames('unheard');
  }, 600_000);

  test('sees everything after an absence so long that its resource version is gone', async () => {
    await createConfigMap('old');
    await startReflector();
    const version = reflector.store.get(`${namespace}/old`)?.resourceVersion ?? '';
    proxy.cut();
    await createConfigMap('new');
    await remove('old');
    // After a compaction and a restart, the API server has no history before the version.
    await server.kill();
    await server.start();
    await createConfigMap('newest');
    while (!(await isGone(version))) await sleep(500);
    proxy.mend();
    await expectNames('new', 'newest');
  }, 600_000);

  test('reports a deletion and an addition for an object that was replaced during an absence', async () => {
    const first = await createConfigMap('same');
    await startReflector();
    proxy.cut();
    await remove('same');
    const second = await createConfigMap('same');
    proxy.mend();
    await createConfigMap('last');
    await expectNames('last', 'same');
    expect(second).not.toBe(first);
    expect(reflector.store.get(`${namespace}/same`)?.uid).toBe(second);
    expect(changes.filter((change) => change.endsWith('same'))).toEqual([
      'added same',
      'deleted same',
      'added same',
    ]);
  }, 600_000);

  test('reports a change again if the handler threw', async () => {
    let throwing = 3;
    await startReflector(() => {
      throwing -= 1;
      if (throwing >= 0) throw new Error('handler');
    });
    await createConfigMap('a');
    await createConfigMap('b');
    await createConfigMap('c');
    await expectNames('a', 'b', 'c');
    const deadline = Date.now() + HANG_LIMIT_MS;
    while (Date.now() < deadline && changes.length < 3) await sleep(50);
    expect(changes.toSorted()).toEqual(['added a', 'added b', 'added c']);
  }, 600_000);

  test('stores no contents of objects that it watches by metadata only', async () => {
    const data = { password: Buffer.from('hidden').toString('base64') };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one', namespace }, data };
    orThrow(await admin.client.create(KINDS.secrets, secret), 'creating a Secret');
    const listed: string[] = [];
    orThrow(
      await admin.client.list(KINDS.secrets, { namespace, metadataOnly: true }, (items) => {
        listed.push(...items.map((item) => JSON.stringify(item)));
      }),
      'listing Secrets',
    );
    await startReflector();
    expect(listed).toHaveLength(1);
    expect(listed[0]).toContain('"name":"one"');
    expect(listed[0]).not.toContain(data.password);
  });
});
