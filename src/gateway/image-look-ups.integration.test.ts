import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { imageStore } from '#adapters/database/builds/image-store.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { LookUpAnswer } from '#flows/builds/image-ports.ts';
import { startRegistry, type TestRegistry } from '#testing/network/registry-server.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { imageLookUps } from './image-look-ups.ts';

type Parts = Parameters<typeof imageLookUps>[0];

const robot = { username: 'robot', password: 'secret' };
let stores: TestStores;
let registry: TestRegistry;
/** Two replicas of the gateway. */
let replicas: ReturnType<typeof imageLookUps>[];

beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.pool.query(rows()`TRUNCATE image_look_ups, image_configurations`);
  registry = await startRegistry({ login: 'token', credential: robot });
  registry.addImage('team/plugin', { Entrypoint: ['/plugin'] }, '1');
  const parts: Parts = {
    client: clusterWith(registry.host),
    images: imageStore(stores),
    registries: { allowedRanges: ['127.0.0.0/8'], plainHttp: [] },
  };
  replicas = [imageLookUps(parts), imageLookUps(parts)];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await registry.close();
});
afterAll(async () => await stores.close());

/** Pods of the namespace `main` have a pull secret for the registry. Pods of other namespaces have none. */
function clusterWith(host: string): Parts['client'] {
  const auth = Buffer.from(`${robot.username}:${robot.password}`).toString('base64');
  const config = Buffer.from(JSON.stringify({ auths: { [host]: { auth } } })).toString('base64');
  const secret = { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': config } };
  return {
    async get({ plural }, { namespace }) {
      const pod = { spec: namespace === 'main' ? { imagePullSecrets: [{ name: 'pull' }] } : {} };
      return { ok: true, value: JSON.parse(JSON.stringify(plural === 'pods' ? pod : secret)) };
    },
  };
}

const lookUp = async (replica = 0, namespace = 'main', tag = '1'): Promise<LookUpAnswer | undefined> =>
  await replicas[replica]?.lookUp(
    { namespace, image: `${registry.host}/team/plugin:${tag}`, architecture: 'amd64' },
    'build-1',
  );
const FOUND = { answer: 'found', configuration: { entrypoint: ['/plugin'], cmd: [] } };

describe('the look-up of an image', () => {
  test('uses the pull secrets of the Pod, and runs once for all simultaneous builds', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => lookUp()));
    expect(answers).toEqual(Array.from({ length: 50 }, () => FOUND));
    expect(registry.requests.filter((request) => request.startsWith('GET blobs/'))).toHaveLength(1);
  });

  test('is stored in the database for other replicas and later builds', async () => {
    await lookUp();
    const requestsBefore = registry.requests.length;
    expect(await lookUp(1)).toEqual(FOUND);
    expect(registry.requests).toHaveLength(requestsBefore);
  });

  test('refuses a cached private image to a namespace without credentials', async () => {
    await lookUp();
    expect(await lookUp(0, 'other')).toEqual({
      answer: 'wait',
      reason: expect.stringContaining('requires a login for team/plugin'),
    });
    expect(await lookUp()).toEqual(FOUND);
  });

  test('that fails is not repeated by any replica until its delay is over', async () => {
    const missing = { answer: 'wait', reason: expect.stringContaining('has no image team/plugin:2') };
    expect(await lookUp(0, 'main', '2')).toEqual(missing);
    const requestsBefore = registry.requests.length;
    expect(await lookUp(1, 'main', '2')).toEqual(missing);
    expect(registry.requests).toHaveLength(requestsBefore);
    registry.addImage('team/plugin', { Entrypoint: ['/plugin'] }, '2');
    await stores.pool.query(rows()`UPDATE image_look_ups SET retry_at = now() - interval '1 s'`);
    expect(await lookUp(1, 'main', '2')).toEqual(FOUND);
  });
});
